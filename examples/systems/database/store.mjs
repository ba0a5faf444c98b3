/*
 * Stands in for Redis where there is none: answers INCR and PING, in its protocol. It ends by itself after two
 * minutes without a connection.
 */
import { createServer } from 'node:net';

const counts = new Map();

function answer(command) {
  const [name, key] = command.split(' ');
  if (name === 'PING') return '+PONG';
  if (name !== 'INCR') return `-ERR unknown command '${name}'`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return `:${counts.get(key)}`;
}

const idle = setTimeout(() => process.exit(), 120_000);
const server = createServer((socket) => {
  idle.refresh();
  socket.on('error', () => {});
  socket.on('data', (lines) => {
    for (const line of String(lines).trim().split('\r\n')) socket.write(`${answer(line)}\r\n`);
  });
});
const { hostname, port } = new URL('http://127.0.0.1:6379');
server.listen(Number(port), hostname);
