import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { directoryWith } from '../cli/program.js';

/*
 * Parts of a system with a knob for each kind of actuator. While its gate is shut, an
 * injection and a reset stop half-way; only the file actuator, which nothing
 * can stop, does not.
 */

const ORIGINAL = 'as it was\n';
const FILE = '{ "a": [1, 2],\n\t"speed" : 0.50 }\r\n';
const GATE = 'open';

/** Writes half, waits for the gate, and writes the rest. */
const SCRIPT = `#!/bin/sh
printf '%s half\\n' "$2" > "$1.exec.txt"
while [ ! -e ${GATE} ]; do sleep 0.02; done
printf "$3" > "$1.exec.txt"
`;

const moduleOf = (part: string) => `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const at = (name) => new URL(name, import.meta.url);

async function change(what, text) {
  writeFileSync(at('${part}.module.txt'), what + ' half\\n');
  while (!existsSync(at('${GATE}'))) await delay(10);
  writeFileSync(at('${part}.module.txt'), text);
}

export const inject = (mutation, { speed }) => change('inject', 'speed ' + speed + '\\n');
export const reset = () => change('reset', 'as it was\\n');
`;

const speed = '[[mutator.param]]\nname = "speed"\ntype = "float"\n';

const manifestOf = (part: string, port: number) => `
[[mutator]]
name = "${part}-exec"
${speed}
[mutator.actuator]
kind = "exec"
inject = ["./exec.sh", "${part}", "inject", "speed {speed}\\\\n"]
reset = ["./exec.sh", "${part}", "reset", "as it was\\\\n"]

[[mutator]]
name = "${part}-http"
${speed}
[mutator.actuator]
kind = "http"
inject = { method = "PUT", url = "http://127.0.0.1:${port}/${part}", body = '"{speed}"' }
reset = { method = "DELETE", url = "http://127.0.0.1:${port}/${part}" }

[[mutator]]
name = "${part}-file"
${speed}
[mutator.actuator]
kind = "file"
path = "${part}.json"
key = ["speed"]
value = "{speed}"

[[mutator]]
name = "${part}-module"
${speed}
[mutator.actuator]
kind = "module"
path = "${part}.mjs"
`;

export const KINDS = ['exec', 'http', 'file', 'module'] as const;

export interface System {
  readonly directory: string;
  /** What each knob of a part holds now. */
  state(part: string): Record<(typeof KINDS)[number], string>;
  open(): void;
  shut(): void;
}

/**
 * Makes a system with its manifest, `mutators.toml`; it goes when the test ends. Its mutators are
 * named after the part, and the kind: `one-exec`.
 */
export async function makeSystem(parts: readonly string[]): Promise<System> {
  const http = new Map(parts.map((part) => [part, ORIGINAL]));
  const waiting = new Set<() => void>();
  const isOpen = () => existsSync(join(directory, GATE));
  const server = createServer(async (request, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const what = request.method === 'PUT' ? 'inject' : 'reset';
    const part = String(request.url).slice(1);
    http.set(part, `${what} half\n`);
    const finish = () => {
      waiting.delete(finish);
      http.set(part, what === 'inject' ? `speed ${body}\n` : ORIGINAL);
      response.end();
    };
    // A system that sees its caller go away leaves what it has done half.
    response.on('close', () => waiting.delete(finish));
    if (isOpen()) finish();
    else waiting.add(finish);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });

  const { port } = server.address() as AddressInfo;
  const files = parts.flatMap((part) => [
    [`${part}.mjs`, moduleOf(part)],
    [`${part}.exec.txt`, ORIGINAL],
    [`${part}.module.txt`, ORIGINAL],
    [`${part}.json`, FILE],
  ]);
  const directory = directoryWith({
    'mutators.toml': parts.map((part) => manifestOf(part, port)).join(''),
    'reflector.toml': 'mutation.mutator-http-api-port = 1\n',
    'exec.sh': SCRIPT,
    ...Object.fromEntries(files),
    [GATE]: '',
  });
  chmodSync(join(directory, 'exec.sh'), 0o755);
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  return {
    directory,
    state: (part) => ({
      exec: read(`${part}.exec.txt`),
      http: http.get(part) ?? '',
      file: read(`${part}.json`),
      module: read(`${part}.module.txt`),
    }),
    open() {
      writeFileSync(join(directory, GATE), '');
      for (const finish of [...waiting]) finish();
    },
    shut: () => rmSync(join(directory, GATE)),
  };
}
