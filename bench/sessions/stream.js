import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { pathOf } from '../harness/programs.js';
import { sessionLines } from './write-lines.js';

/*
 * `node bench/sessions/stream.js [GIGABYTES]`: reads a session of so many gigabytes of JSON Lines, 2
 * by default, which are made while they are read. Ends with 1 if the peak of memory is above
 * 300 bytes an event plus what the program takes without one.
 */

const GIGABYTE = 1e9;
const MOST_BYTES = 300;

const wanted = Number(process.argv[2] ?? 2) * GIGABYTE;
const directory = mkdtempSync(join(tmpdir(), 'perturb-stream-'));
const outfile = join(directory, 'load.mjs');
await bundleFile(pathOf('../sessions/load.ts'), outfile);
/** @type {typeof import('./load.js')} */
const { readSession } = await import(pathToFileURL(outfile).href);
rmSync(directory, { recursive: true });

let bytes = 0;
function* pieces() {
  const encoder = new TextEncoder();
  for (const lines of sessionLines(Number.MAX_SAFE_INTEGER)) {
    const piece = encoder.encode(lines);
    bytes += piece.length;
    yield piece;
    if (bytes >= wanted) return;
  }
}

const before = process.resourceUsage().maxRSS * 1024;
const start = process.cpuUsage();
const { session, problems } = await readSession(pieces(), { reading: { from: 'session' } });
const { user } = process.cpuUsage(start);
if (session === undefined) throw new Error(problems[0]?.message);
const peak = process.resourceUsage().maxRSS * 1024;
const each = (peak - before) / session.size;
process.stdout.write(
  `${(bytes / GIGABYTE).toFixed(2)} GB, ${(session.size / 1e6).toFixed(1)}M events: ${(user / 1e6).toFixed(0)} s of processor time, the making of the lines included; peak ${(peak / GIGABYTE).toFixed(2)} GB, ${each.toFixed(0)} bytes an event\n`,
);
process.exitCode = each > MOST_BYTES ? 1 : 0;
