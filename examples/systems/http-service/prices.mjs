/* The service that knows the prices. It ends by itself after two minutes without a request. */
import { createServer } from 'node:http';

const idle = setTimeout(() => process.exit(), 120_000);
const server = createServer((request, response) => {
  idle.refresh();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ product: request.url.slice(1), price: 12 }));
});
const { hostname, port } = new URL('http://127.0.0.1:7100');
server.listen(Number(port), hostname);
