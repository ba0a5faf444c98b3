/*
 * A broker with one queue, over HTTP: POST puts a message, GET takes one. A message with the `message-id` of an
 * earlier one is accepted, and not put again. It ends by itself after two minutes without a request.
 */
import { createServer } from 'node:http';

const messages = [];
const ids = new Set();

const idle = setTimeout(() => process.exit(), 120_000);
const server = createServer(async (request, response) => {
  idle.refresh();
  if (request.method === 'GET') {
    const message = messages.shift();
    response.writeHead(message === undefined ? 204 : 200).end(message);
    return;
  }
  let message = '';
  for await (const chunk of request) message += chunk;
  const id = request.headers['message-id'];
  if (id === undefined || !ids.has(id)) messages.push(message);
  ids.add(id);
  response.writeHead(201).end();
});
const { hostname, port } = new URL('http://127.0.0.1:7200');
server.listen(Number(port), hostname);
