/*
 * One attempt: three replicas, and a client that writes eight keys over and over, each time to the next
 * replica. Time is that of the client, which advances 10 ms with each write, so an attempt has nothing to
 * wait for, and can be repeated exactly.
 */
import { readFileSync } from 'node:fs';
import { connectTo } from './lines.js';
import { recorder } from './recorder.js';
import { startReplica } from './replica.js';

const [WRITES, KEYS, STEP] = [24, 8, 10];

const settings = JSON.parse(readFileSync(new URL('store.json', import.meta.url), 'utf8'));
const replicas = await Promise.all(['A', 'B', 'C'].map((name) => startReplica(name, settings)));
const connections = await Promise.all(replicas.map(({ port }) => connectTo(port)));
for (const [at, { ask }] of connections.entries()) {
  await ask({ do: 'join', ports: replicas.filter((_, other) => other !== at).map((r) => r.port) });
}

const record = recorder('CLIENT');
/** What the client knows of each key: it never writes an older version than it has seen. */
const versions = new Map();
for (let write = 0; write < WRITES; write += 1) {
  const [key, now] = [`key-${write % KEYS}`, write * STEP];
  for (const { ask } of connections) await ask({ do: 'tick', now });
  const after = versions.get(key) ?? 0;
  const id = record('write', { key, version: after + 1 });
  const { ask } = connections[write % connections.length];
  const { version } = await ask({ do: 'write', key, value: write, after, now, id });
  versions.set(key, version);
}
for (const { ask } of connections) await ask({ do: 'leave' });
for (const { close } of [...connections, ...replicas]) close();
