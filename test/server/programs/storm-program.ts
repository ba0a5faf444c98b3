import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../../../src/mutators/index.js';
import { openHost } from '../../../src/server/index.js';
import { decodeSource } from '../../../src/source/index.js';

/*
 * Serves the manifest that is its argument: recovers, says so, and then injects
 * into and resets all mutators as fast as they go, until it is killed.
 */
const [, , path = ''] = process.argv;
const { manifest } = loadManifest(decodeSource(path, readFileSync(path)));
const host = await openHost({
  mutators: manifest?.mutators ?? [],
  directory: dirname(path),
  stateDirectory: join(dirname(path), 'state'),
  environment: process.env,
  events: (event) => {
    if ('reason' in event) process.stdout.write(`${event.id}: ${event.reason}\n`);
  },
});
const { residual: left } = await host.recover({ forgetMissing: false });
process.stdout.write(left.length === 0 ? 'ready\n' : `left: ${JSON.stringify(left)}\n`);

async function storm(id: string): Promise<never> {
  for (let number = 0; ; number++) {
    const value = { type: 'string', value: `${id} ${number}` } as const;
    const params = new Map([['value', value]]);
    await host.inject(id, { id: '3b241101-e2bb-4255-8caf-4136c566a962', params });
    if (Math.random() < 0.5) await host.reset(id);
  }
}

await Promise.all(host.mutators.map(({ id }) => storm(id)));
