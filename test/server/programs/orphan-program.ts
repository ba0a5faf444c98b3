import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadManifest } from '../../../src/mutators/index.js';
import { createTextWriter, serveMutators } from '../../../src/server/index.js';
import { decodeSource } from '../../../src/source/index.js';

/*
 * Serves the manifest that is its first argument, and misses a run after as many milliseconds as its second one says:
 * one that is alive renews its lease more seldom.
 */
const [, , path = '', orphansMs = ''] = process.argv;
const { manifest } = loadManifest(decodeSource(path, readFileSync(path)));
await serveMutators(
  {
    mutators: manifest?.mutators ?? [],
    manifestDirectory: dirname(path),
    stateDirectory: join(dirname(path), 'state'),
    port: 0,
    allowUnauthenticated: false,
    requireAuthToken: false,
    forgetMissing: false,
    adoptState: false,
    orphansMs: Number(orphansMs),
    shutdownMs: 30_000,
  },
  { format: 'pretty', level: 'info', color: false },
  {
    env: process.env,
    process,
    write: createTextWriter(process.stderr),
    exit: () => process.exit(1),
  },
);
