import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openHost } from '../../../src/server/index.js';
import { isLong } from '../../long.js';
import { buildProgram, run } from '../programs/run-program.js';
import { readManifest, temporaryDirectory, until } from '../support.js';

const ROUNDS = isLong ? 60 : 6;

/** A system with a knob of each kind, two of them in one file and one behind a link. */
async function build(directory: string): Promise<{ manifest: string; state: () => unknown }> {
  const at = (name: string) => join(directory, 'system', name);
  mkdirSync(at('real'), { recursive: true });
  for (const name of ['exec', 'module']) writeFileSync(at(name), 'as it was');
  writeFileSync(at('pair.json'), '{ "one": "1", "other": [ "2" ] , "big": 12345678901234567890 }');
  writeFileSync(at('real/deep.toml'), '# deep\n[a]\nb = "c" # d\n');
  symlinkSync('real/deep.toml', at('link.toml'));
  writeFileSync(
    join(directory, 'knob.mjs'),
    `import { writeFileSync } from 'node:fs';
const file = new URL('system/module', import.meta.url);
export async function inject(_, { value }) {
  writeFileSync(file, 'half');
  await null;
  writeFileSync(file, value);
}
export const reset = () => writeFileSync(file, 'as it was');`,
  );
  let knob = 'as it was';
  const server = createServer(async (request, response) => {
    // A request that is cut off changes nothing.
    const body = await text(request).catch(() => knob);
    knob = request.method === 'DELETE' ? 'as it was' : body;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const file = (path: string, more: string) => `kind = "file"\npath = "system/${path}"\n${more}`;
  const actuators = {
    exec: `kind = "exec"
inject = ["sh", "-c", 'printf half > system/exec; sleep 0.02; printf %s "$1" > system/exec', "sh", "{value}"]
reset = ["sh", "-c", "printf half > system/exec; sleep 0.01; printf 'as it was' > system/exec"]`,
    module: 'kind = "module"\npath = "knob.mjs"',
    http: `kind = "http"
inject = { method = "PUT", url = "${url}", body = '"{value}"' }
reset = { method = "DELETE", url = "${url}" }`,
    one: file('pair.json', 'key = ["one"]\nvalue = "{value}"'),
    other: file('pair.json', 'key = ["other", "0"]\nvalue = "{value}"'),
    link: file('link.toml', 'key = ["a", "b"]\nvalue = "{value}"'),
    absent: file('absent.conf', 'template = "value = {value}\\n"'),
  };
  const manifest = Object.entries(actuators)
    .map(
      ([name, actuator]) =>
        `[[mutator]]\nname = "${name}"\n[[mutator.param]]\nname = "value"\ntype = "string"\n[mutator.actuator]\n${actuator}\n`,
    )
    .join('\n');
  const state = () => {
    const names = readdirSync(join(directory, 'system'), { recursive: true, withFileTypes: true });
    const files = names
      .filter((entry) => !entry.isDirectory())
      .map(({ name, parentPath }) => [
        join(parentPath, name),
        readFileSync(join(parentPath, name), 'utf8'),
      ]);
    return { knob, files: files.sort() };
  };
  return { manifest, state };
}

test(`killed at ${ROUNDS} random moments of a storm, the system is as it was after the next start`, async () => {
  const directory = temporaryDirectory();
  const { manifest, state } = await build(directory);
  const path = join(directory, 'storm.toml');
  writeFileSync(path, manifest);
  const program = await buildProgram('storm-program', directory);
  const before = state();
  const isDisturbed = () => {
    try {
      return JSON.stringify(state()) !== JSON.stringify(before);
    } catch {
      // A file that goes while it is read is one of a change that goes on.
      return true;
    }
  };
  let disturbed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const storm = run(process.execPath, [program, path]);
    // Now and then while it starts, which resets nothing or what a round before has left.
    if (round % 6 !== 0) expect(await storm.line()).toBe('ready');
    // On a slow machine a storm may need longer to begin than it has.
    if (round % 2 === 1) await until(isDisturbed);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
    await storm.kill();
    if (isDisturbed()) disturbed += 1;
    if (round % 3 === 1) continue;
    const host = await openHost({
      mutators: readManifest(manifest),
      directory,
      stateDirectory: join(directory, 'state'),
      environment: process.env,
      events: () => {},
    });
    expect((await host.recover({ forgetMissing: false })).residual).toEqual([]);
    expect(state()).toEqual(before);
    expect(await host.shutdown({ graceMs: 0, timeoutMs: 10_000 })).toEqual({
      reset: [],
      residual: [],
    });
    expect(state()).toEqual(before);
    expect(readdirSync(join(directory, 'state/originals'))).toEqual([]);
    expect(readdirSync(join(directory, 'state/running'))).toEqual([]);
  }
  // A storm that did not touch the system would prove nothing.
  expect(disturbed).toBeGreaterThan(ROUNDS / 3);
}, 600_000);
