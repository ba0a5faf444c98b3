import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { readManifest, until } from '../server/support.js';
import { holdToContract } from './actuator-contract.js';

const manifest = (actuator: string) => {
  const [mutator] = readManifest(`[[mutator]]
name = "knob"
[[mutator.param]]
name = "value"
type = "string"
[mutator.actuator]
${actuator}`);
  if (mutator === undefined) throw new Error('no mutator');
  return mutator;
};

/** A system that is a file, with moods that are files beside it. */
function fileSystem(directory: string) {
  const at = (name: string) => join(directory, name);
  writeFileSync(at('knob'), 'as it was');
  return {
    state: () => readFileSync(at('knob'), 'utf8'),
    be: (mood: string) => {
      for (const name of ['refusing', 'hanging', 'asked']) rmSync(at(name), { force: true });
      if (mood !== 'willing') writeFileSync(at(mood), '');
    },
    asked: () => until(() => existsSync(at('asked'))),
  };
}

holdToContract('exec', async (directory, timeout) => {
  const script = (action: string) =>
    `if test -e hanging; then touch asked; sleep 1000; fi
if test -e refusing; then echo 'the bench refuses' >&2; exit 7; fi
printf %s ${action} > knob`;
  return {
    ...fileSystem(directory),
    mutator: manifest(`kind = "exec"
timeout = "${timeout}"
inject = ["sh", "-c", '''${script('"$1"')}''', "sh", "{value}"]
reset = ["sh", "-c", """${script("'as it was'")}"""]`),
    holds: (value) => value,
    complaint: /command "sh" ended with code 7, stderr: "the bench refuses"$/,
  };
});

holdToContract('module', async (directory, timeout) => {
  writeFileSync(
    join(directory, 'knob.mjs'),
    `import { existsSync, writeFileSync } from 'node:fs';
const at = (name) => new URL(name, import.meta.url);
function check() {
  if (existsSync(at('hanging'))) {
    writeFileSync(at('asked'), '');
    // An endless loop that leaves the processor to others.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  if (existsSync(at('refusing'))) throw new Error('the bench refuses');
}
export async function inject(mutation, params) { check(); writeFileSync(at('knob'), params.value); }
export function reset() { check(); writeFileSync(at('knob'), 'as it was'); }`,
  );
  return {
    ...fileSystem(directory),
    mutator: manifest(`kind = "module"\npath = "./knob.mjs"\ntimeout = "${timeout}"`),
    holds: (value) => value,
    complaint: /module ".\/knob.mjs" threw: Error: the bench refuses$/,
  };
});

holdToContract('http', async (_, timeout) => {
  const held: ServerResponse[] = [];
  let knob = 'as it was';
  let now = 'willing';
  let onAsked = () => {};
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (now === 'hanging') {
      held.push(response);
      onAsked();
      return;
    }
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (now === 'willing') {
      knob = request.method === 'DELETE' ? 'as it was' : body + searchParams.get('value');
    }
    response.writeHead(now === 'willing' ? 204 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/knob`;
  return {
    state: () => knob,
    be: (mood) => {
      now = mood;
      for (const response of held.splice(0)) response.destroy();
    },
    asked: () =>
      new Promise((resolve) => {
        onAsked = resolve;
      }),
    mutator: manifest(`kind = "http"
timeout = "${timeout}"
[mutator.actuator.inject]
url = "${url}?value={value}"
body = '{"value": "{value}", "text": "={value}"}'
[mutator.actuator.reset]
method = "DELETE"
url = "${url}"`),
    holds: (value) => JSON.stringify({ value, text: `=${value}` }) + value,
    complaint: /^(POST|DELETE) http:\/\/127\.0\.0\.1:\d+\/knob received status 503$/,
  };
});

holdToContract('file', async (directory) => {
  const at = (name: string) => join(directory, name);
  mkdirSync(at('config'));
  const before = '{ "knob" : "as it was",\r\n\t"n": 1.0 }\n';
  writeFileSync(at('config/system.json'), before);
  return {
    state: () => readFileSync(at('config/system.json'), 'utf8'),
    be: (mood) => {
      if (mood === 'refusing') {
        renameSync(at('config'), at('away'));
        // A directory that is a file cannot be written to, even by root.
        writeFileSync(at('config'), '');
      } else {
        rmSync(at('config'));
        renameSync(at('away'), at('config'));
      }
    },
    mutator: manifest(
      'kind = "file"\npath = "config/system.json"\nkey = ["knob"]\nvalue = "{value}"',
    ),
    holds: (value) => before.replace('"as it was"', () => JSON.stringify(value)),
    complaint: /^"config\/system.json": ENOTDIR: not a directory/,
  };
});
