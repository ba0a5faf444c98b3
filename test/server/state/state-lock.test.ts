import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Semaphore } from '../../../src/actuators/scheduling.js';
import { lockState, openStateDirectory } from '../../../src/server/host/state-directory.js';
import { StateError } from '../../../src/server/host/state-journal.js';
import { buildProgram, run } from '../programs/run-program.js';
import { temporaryDirectory } from '../support.js';

const open = (directory: string) =>
  openStateDirectory(directory, { mutators: [], semaphore: new Semaphore(1) });

const sockets = (directory: string) =>
  readdirSync(directory).filter((name) => name.endsWith('.sock'));

async function errorOf(opening: Promise<unknown>): Promise<StateError> {
  const error = await opening.catch((reason: unknown) => reason);
  if (!(error instanceof StateError)) throw new Error(`expected a StateError, got ${error}`);
  return error;
}

test('a state directory is made for this user alone, and given up again', async () => {
  const directory = join(temporaryDirectory(), 'a/b/state');
  const state = await open(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'journal')).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory).sort()).toEqual([
    ...['journal', 'originals', 'running'],
    ...sockets(directory),
  ]);
  const error = await errorOf(open(directory));
  expect([error.code, error.message]).toEqual([
    'in-use',
    expect.stringContaining(`${directory} is in use by another server (process ${process.pid})`),
  ]);
  await state.close();
  expect(sockets(directory)).toEqual([]);
  const again = await open(directory);
  await again.close();
});

test('what is no directory, or can hold no socket, is refused', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  expect((await errorOf(open(join(directory, 'file')))).code).toBe('not-usable');
  expect((await errorOf(open(join(directory, 'file/below')))).code).toBe('not-usable');
  const long = join(directory, 'x'.repeat(120));
  expect((await errorOf(open(long))).code).toBe('no-lock');
});

test('another process is kept out, until the holder is killed', async () => {
  const directory = temporaryDirectory();
  const program = await buildProgram('lock-program', directory);
  const state = join(directory, 'state');
  const holder = run(process.execPath, [program, state]);
  expect(await holder.line()).toBe('held');
  expect((await errorOf(lockState(state))).message).toContain(`(process ${holder.child.pid})`);
  // One that hangs holds it too.
  holder.child.kill('SIGSTOP');
  expect((await errorOf(lockState(state))).code).toBe('in-use');
  await holder.kill();
  expect(sockets(state)).toHaveLength(1);
  const { unlock } = await lockState(state);
  expect(sockets(state)).toHaveLength(1);
  await unlock();
});

test('of many that start at once at most one gets it, and then the dead are no obstacle', async () => {
  const directory = temporaryDirectory();
  const program = await buildProgram('lock-program', directory);
  const state = join(directory, 'state');
  // Where there is no directory yet, and where there is one.
  for (let round = 0; round < 2; round++) {
    const all = Array.from({ length: 6 }, () => run(process.execPath, [program, state]));
    const said = await Promise.all(all.map(({ line }) => line()));
    const held = said.filter((line) => line === 'held').length;
    expect(held).toBeLessThanOrEqual(1);
    for (const line of said) expect(line).toMatch(/^held$|is in use by another server/);
    for (const { kill } of all) await kill();
    const { unlock } = await lockState(state);
    await unlock();
    expect(sockets(state)).toEqual([]);
  }
});
