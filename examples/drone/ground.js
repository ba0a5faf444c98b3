/*
 * The ground station: keeps how much the link loses, behind an endpoint for tests. `node ground.js &`
 * starts it; it ends by itself after two minutes without a request.
 */
import { createServer } from 'node:http';

const IDLE_MS = 120_000;
const { hostname, port } = new URL('http://127.0.0.1:7710');
let share = 0;

const server = createServer(async (request, response) => {
  idle.refresh();
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method === 'PUT') share = JSON.parse(body).share;
  if (request.method === 'DELETE') share = 0;
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ share }));
});
const idle = setTimeout(() => process.exit(), IDLE_MS);
server.listen(Number(port), hostname);
