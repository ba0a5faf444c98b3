/* Lines of JSON over TCP on the loopback: each request has one answer, and they come in order. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const HOST = '127.0.0.1';

/** Serves a function from a request to its answer; gives the port, and what ends it. */
export async function serve(answer) {
  const server = createServer(async (socket) => {
    for await (const line of createInterface({ input: socket })) {
      socket.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
    }
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  return { port: server.address().port, close: () => server.close() };
}

/** Connects to a server; gives a function that sends a request and waits for its answer. */
export async function connectTo(port) {
  const socket = connect(port, HOST);
  await once(socket, 'connect');
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    async ask(request) {
      socket.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`nobody answers at port ${port}`);
      return JSON.parse(value);
    },
    close: () => socket.end(),
  };
}
