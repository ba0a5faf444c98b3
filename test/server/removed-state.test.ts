import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { inject, startProgram, startServer } from './programs/server-program.js';

/*
 * A state directory that is removed while a server runs, with nobody asking the server for anything.
 */

const MANIFEST = `[[mutator]]
name = "rain"
[mutator.actuator]
kind = "exec"
inject = ["touch", "rain"]
reset = ["rm", "-f", "rain"]

[[mutator]]
name = "wind"
[mutator.actuator]
kind = "file"
path = "wind.conf"
template = "mutated"
`;

const ARGS = ['mutators.toml', '--log-format', 'pretty'];
const GONE =
  /the journal or the lock of the state directory \S+ was removed or replaced while the server ran/;

const project = () => directoryWith({ 'mutators.toml': MANIFEST, 'wind.conf': 'as it was' });

const removeState = (cwd: string, part = '') =>
  rmSync(join(cwd, '.perturb/state', part), { recursive: true });

test.each([
  ['the whole directory', ''],
  ['the journal', 'journal'],
])('an idle server without %s ends', async (_, part) => {
  const cwd = project();
  const server = await startServer(ARGS, { cwd });
  removeState(cwd, part);
  expect(await server.exit).toEqual({ code: 4, signal: null });
  expect(server.stderr()).toMatch(GONE);
});

test('a server with active mutators resets what it can, names the rest, and ends', async () => {
  const cwd = project();
  const server = await startServer(ARGS, { cwd });
  for (const id of ['rain', 'wind']) expect(await inject(server.url, id)).toBe(201);
  removeState(cwd);
  expect(await server.exit).toEqual({ code: 1, signal: null });
  expect(existsSync(join(cwd, 'rain'))).toBe(false);
  expect(readFileSync(join(cwd, 'wind.conf'), 'utf8')).toBe('mutated');
  expect(server.stderr()).toContain(
    'is missing from the state directory: restore the file by hand',
  );
  // Nothing brings it back: one reset shows that.
  expect(server.stderr().match(/reset failed.*wind|wind.*reset failed/g)).toHaveLength(1);
});

test('no other server takes the directory from one that lives, and the next one resets everything', async () => {
  const cwd = project();
  const first = await startServer(ARGS, { cwd });
  expect(await inject(first.url, 'rain')).toBe(201);
  // It cannot notice anything.
  first.child.kill('SIGSTOP');
  removeState(cwd);
  const second = startProgram(['--port', '0', ...ARGS], { cwd });
  expect((await second.exit).code).toBe(4);
  expect(second.stderr()).toContain(
    `is in use by another server (process ${first.child.pid}): stop that server, or choose another directory with --state-dir\n`,
  );
  first.child.kill('SIGCONT');
  expect(await first.exit).toEqual({ code: 4, signal: null });
  expect(existsSync(join(cwd, 'rain'))).toBe(false);
  writeFileSync(join(cwd, 'rain'), '');
  const third = await startServer(ARGS, { cwd });
  expect(third.stderr()).toContain('the journal is damaged');
  expect(existsSync(join(cwd, 'rain'))).toBe(false);
});
