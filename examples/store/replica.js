/*
 * A replica of the store: it keeps a value and its version for each key, answers writes, and sends them
 * to the other replicas, when the oldest has waited for the delay, or when the batch is full.
 */
import { accepts } from './accept.js';
import { connectTo, serve } from './lines.js';
import { recorder } from './recorder.js';

export async function startReplica(name, { replication, clock }) {
  const record = recorder(name);
  const held = new Map();
  const unsent = [];
  let peers = [];

  const store = (entry, attributes, after) => {
    held.set(entry.key, entry);
    const { key, version } = entry;
    return record('stored', { key, version, ...attributes }, after);
  };
  const send = async () => {
    for (const { entry, id } of unsent.splice(0)) {
      for (const peer of peers) await peer.ask({ do: 'replicate', entry, id });
    }
  };
  const sendDue = async (now) => {
    const [oldest] = unsent;
    const isDue = oldest !== undefined && oldest.at + replication.delay <= now;
    if (isDue || unsent.length >= replication.batch) await send();
  };

  const { port, close } = await serve(async (request) => {
    const now = (request.now ?? 0) + clock.skew;
    switch (request.do) {
      case 'join':
        peers = await Promise.all(request.ports.map(connectTo));
        return {};
      case 'tick':
        await sendDue(now);
        return {};
      case 'write': {
        const { key, value, after, id } = request;
        const entry = { key, value, version: after + 1 };
        unsent.push({ entry, at: now, id: store(entry, { by: 'client', clock: now }, id) });
        await sendDue(now);
        return { version: entry.version };
      }
      case 'replicate': {
        const { entry, id } = request;
        const isNew = accepts(held.get(entry.key), entry);
        if (isNew) store(entry, { by: 'replica' }, id);
        else record('ignored', { key: entry.key, version: entry.version }, id);
        return {};
      }
      case 'leave':
        await send();
        return {};
    }
  });
  return {
    port,
    close() {
      for (const peer of peers) peer.close();
      close();
    },
  };
}
