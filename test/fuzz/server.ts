import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { loadManifest, writeListing } from '../../src/mutators/index.js';
import { buildApp } from '../../src/server/api/app.js';
import { createKeys } from '../../src/server/api/auth.js';
import { openHost } from '../../src/server/index.js';
import { decodeSource } from '../../src/source/index.js';

/*
 * A server to fuzz: real files that are mutated, a real journal, real sockets.
 */

export const KEY = 'correct horse';
export const FAILING = 'broken';

const PARAMS = `
[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]
default = 0.0

[[mutator.param]]
name = "gusts"
type = "integer"
default = 0

[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady"]
default = "steady"

[[mutator.param]]
name = "note"
type = "string"
default = ""
`;

/** Writes each kind of value, into each kind of file; and one whose file cannot be written. */
const MANIFEST = `
[[mutator]]
id = "wind"
name = "wind"
${PARAMS}
[mutator.actuator]
kind = "file"
path = "wind.txt"
template = "{speed} {gusts} {mode} {note}\\n"

[[mutator]]
id = "links/a b%2F"
name = "link"
${PARAMS}
[mutator.actuator]
kind = "file"
path = "link.json"
key = ["note"]
value = "{note}"

[[mutator]]
id = "wärme?#;=🌡"
name = "heat"
${PARAMS}
[mutator.actuator]
kind = "file"
path = "heat.toml"
key = ["a", "speed"]
value = "{speed}"

[[mutator]]
id = "${FAILING}"
name = "broken"
[mutator.actuator]
kind = "file"
path = "nowhere/at-all.txt"
template = "x"
`;

/** The files as they are before anything is injected. */
export const FILES: Readonly<Record<string, string>> = {
  'wind.txt': 'calm\r\n',
  'link.json': '{ "note" : "as it was" }',
  'heat.toml': '[a]\nspeed = 0.50 # so far\n',
};

/** The file of each mutator that can be injected. */
export const FILE_OF: Readonly<Record<string, string>> = {
  wind: 'wind.txt',
  'links/a b%2F': 'link.json',
  'wärme?#;=🌡': 'heat.toml',
};

export interface Bench {
  readonly listing: string;
  /** Whether a file is as it was. */
  isOriginal(file: string): boolean;
  /** How many operations have failed by their actuator so far. */
  failures(): number;
  /** Whether a mutator is active, idle, or neither. */
  stateOf(id: string): string;
  /** Resolves when nothing is being done. */
  settled(): Promise<void>;
  /**
   * What the server says to some bytes until it closes the connection. Unless
   * the bytes are `whole`, the connection is half closed once the server has
   * had the chance to read them.
   */
  say(bytes: Uint8Array, options: { keyed: boolean; whole: boolean }): Promise<string>;
  close(): Promise<void>;
}

/** Serves in a directory that holds `FILES`. */
export async function startBench(directory: string): Promise<Bench> {
  const { manifest } = loadManifest(decodeSource('mutators.toml', Buffer.from(MANIFEST)));
  if (manifest === undefined) throw new Error('the manifest has findings');
  let failures = 0;
  const host = await openHost({
    mutators: manifest.mutators,
    directory,
    stateDirectory: join(directory, '.perturb'),
    environment: {},
    events({ kind }) {
      if (kind === 'inject-failed' || kind === 'reset-failed') failures += 1;
    },
  });
  await host.recover({ forgetMissing: false });
  const logger = pino({ level: 'trace' }, { write: () => {} });
  const open = buildApp({ host, logger });
  const keyed = buildApp({ host, logger, keys: createKeys([KEY]) });
  const ports = { open: await listen(open), keyed: await listen(keyed) };
  const barrier = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  return {
    listing: writeListing(host.mutators),
    isOriginal: (file) => readFileSync(join(directory, file), 'utf8') === FILES[file],
    failures: () => failures,
    stateOf: (id) => host.status().find((one) => one.id === id)?.state ?? 'unknown',
    async settled() {
      const isBusy = () =>
        host.status().some(({ state, waiting }) => waiting > 0 || /ing$/.test(state));
      do await new Promise((resolve) => setImmediate(resolve));
      while (isBusy());
    },
    async say(bytes, options) {
      const port = options.keyed ? ports.keyed : ports.open;
      const { socket, closed } = converse(port, bytes);
      if (!options.whole) {
        await converse(port, Buffer.from(barrier)).closed;
        socket.end();
      }
      return closed;
    },
    async close() {
      await Promise.all([open.close(), keyed.close()]);
      await host.shutdown({ graceMs: 0, timeoutMs: 10_000 });
    },
  };
}

async function listen(app: FastifyInstance): Promise<number> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(url).port);
}

function converse(port: number, bytes: Uint8Array) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  socket.on('end', () => socket.end());
  // A server that has said enough resets the connection of one who goes on.
  socket.on('error', () => {});
  socket.write(bytes);
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(pieces).toString('latin1')));
  });
  return { socket, closed };
}
