import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, perturb } from '../cli/program.js';
import { startServer } from './programs/server-program.js';

/* What is left of a mutator whose target the system has replaced, or taken away. */

const FILE = `[[mutator]]
name = "speed"
[[mutator.param]]
name = "v"
type = "integer"
[mutator.actuator]
kind = "file"
path = "v.json"
key = ["v"]
value = "{v}"
`;
const EXEC = `[[mutator]]
name = "pump"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["sh", "-c", "test -e pump || { echo the pump is gone >&2; exit 1; }"]
`;

async function setUp(manifest: string) {
  const cwd = realpathSync(directoryWith({ 'mutators.toml': manifest, 'v.json': '{"v": 0}' }));
  const server = await startServer(['--state-dir', 'state', 'mutators.toml'], { cwd });
  const ask = (...args: readonly string[]) =>
    perturb(['mutators', ...args, '--server', server.url], { cwd });
  const file = join(cwd, 'v.json');
  return { ...server, cwd, ask, file, write: (text: string) => writeFileSync(file, text) };
}

test('a replaced file is left as it is, and its mutator can be used again once it is forgotten', async () => {
  const { url, cwd, ask, file, write, stderr, child, exit } = await setUp(FILE);
  await ask('inject', 'speed', '-p', 'v=7');
  write('{"v": 7, "new": true}');
  expect(await ask('reset', 'speed')).toEqual({
    code: 4,
    stdout: '',
    stderr: `perturb: ${url}/mutator/speed/mutation returned 500: the mutator failed and may be active; check the server's log for the cause
If the mutator's target no longer exists, --forget drops the mutator's record from a Perturb server.
`,
  });
  expect(stderr()).toContain('; or forget the mutation with perturb mutators reset ID --forget');

  const forgot = await ask('reset', 'speed', '--forget', '--format', 'json');
  const [original = ''] = readdirSync(join(cwd, 'state/originals'));
  const left = `"${file}" as it is, with its original in ${join(cwd, 'state/originals', original)}`;
  expect(JSON.parse(forgot.stdout)).toEqual({
    ...{ version: 1, reset: [], failed: [], forgotten: [{ id: 'speed', left }] },
  });
  expect(readFileSync(join(cwd, 'state/originals', original), 'utf8')).toBe('{"v": 0}');

  expect(await ask('inject', 'speed', '-p', 'v=5')).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toBe('{"v": 5, "new": true}');
  child.kill('SIGTERM');
  expect(await exit).toEqual({ code: 0, signal: null });
  expect(readFileSync(file, 'utf8')).toBe('{"v": 7, "new": true}');
});

test('a command that cannot reset is forgotten with its reason', async () => {
  const { ask, child, exit } = await setUp(EXEC);
  await ask('inject', 'pump');
  expect(await ask('reset', 'pump', '--forget')).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: expect.stringMatching(/^forgot pump; left behind: .*the pump is gone.*\n$/),
  });
  child.kill('SIGTERM');
  // Nothing is left to reset.
  expect(await exit).toEqual({ code: 0, signal: null });
});

test('what can be reset is reset, and nothing is forgotten', async () => {
  const { ask, file, cwd } = await setUp(FILE);
  await ask('inject', 'speed', '-p', 'v=7');
  expect((await ask('reset', 'speed', '--forget')).stdout).toBe('reset speed\n');
  expect(readFileSync(file, 'utf8')).toBe('{"v": 0}');
  expect(readdirSync(join(cwd, 'state/originals'))).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

test('an injection that failed asks for no reset where a server says that it was undone', async () => {
  const { url, ask } = await setUp(
    EXEC.replace('"true"', '"false"').replace('test -e pump', 'true'),
  );
  expect(await ask('inject', 'pump')).toEqual({
    ...{ code: 4, stdout: '' },
    stderr: `perturb: ${url}/mutator/pump/mutation returned 500: the injection failed and was undone; check the server's log for the cause\n`,
  });
  const stuck = await setUp(EXEC.replace('"true"', '"false"'));
  const failed = await stuck.ask('inject', 'pump');
  expect(failed.stderr).toMatch(
    / the mutator failed and may be active; .*\nMutation \S+ may be active\. Reset the mutator "pump"\.\n$/,
  );
});
