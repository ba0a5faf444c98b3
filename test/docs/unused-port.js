import { once } from 'node:events';
import { createServer } from 'node:net';

/** What this process has given out, and may not have begun to use. */
const given = new Set();

/** A port where nothing listens, and none of those that the system hands out by itself. */
export async function unusedPort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    // It rejects where somebody listens.
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
