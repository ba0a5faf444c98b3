import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../../../src/mutators/index.js';
import { openHost } from '../../../src/server/index.js';
import { decodeSource } from '../../../src/source/index.js';

/*
 * Serves the manifest that is its first argument: injects into and resets each
 * of its mutators, with the second as the value, and says how that went.
 */
const [, , path = '', length = '0'] = process.argv;
const { manifest } = loadManifest(decodeSource(path, readFileSync(path)));
const host = await openHost({
  mutators: manifest?.mutators ?? [],
  directory: dirname(path),
  stateDirectory: join(dirname(path), 'state'),
  environment: process.env,
  events: () => {},
});
const say = (what: unknown) => process.stdout.write(`${JSON.stringify(what)}\n`);
say(await host.recover({ forgetMissing: false }));
for (const { id } of host.mutators) {
  const value = { type: 'string', value: 'x'.repeat(Number(length)) } as const;
  const mutation = {
    id: '3b241101-e2bb-4255-8caf-4136c566a962',
    params: new Map([['value', value]]),
  };
  say([id, await host.inject(id, mutation), await host.reset(id)]);
}
say(await host.shutdown({ graceMs: 1_000, timeoutMs: 10_000 }));
