import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ActuatorError, openHost, StateError } from '../../../src/server/index.js';
import { buildProgram, run } from '../programs/run-program.js';
import { MUTATION, readManifest, temporaryDirectory, until, valuesOf } from '../support.js';

const file = (name: string, path: string) => `[[mutator]]
name = "${name}"
[[mutator.param]]
name = "value"
type = "string"
[mutator.actuator]
kind = "file"
path = "${path}"
template = "{value}"
`;

/** A directory with a system of two files, one of them large, and the program that mutates them. */
async function build() {
  const directory = temporaryDirectory();
  const program = await buildProgram('once-program', directory);
  mkdirSync(join(directory, 'system'));
  const before = { small: 'as it was', large: 'y'.repeat(500_000) };
  for (const [name, text] of Object.entries(before)) {
    writeFileSync(join(directory, 'system', name), text);
  }
  const manifest = join(directory, 'm.toml');
  writeFileSync(
    manifest,
    ['absent', 'large', 'small'].map((name) => file(name, `system/${name}`)).join(''),
  );
  const system = () =>
    Object.fromEntries(
      readdirSync(join(directory, 'system')).map((name) => [
        name,
        readFileSync(join(directory, 'system', name), 'utf8'),
      ]),
    );
  return { directory, program, manifest, before, system };
}

/** All that a program says, as JSON. */
async function said(command: string, args: readonly string[]): Promise<unknown[]> {
  const { line } = run(command, args);
  const all: unknown[] = [];
  for (let text = await line(); text !== undefined; text = await line()) all.push(JSON.parse(text));
  return all;
}

const failed = (reason: RegExp) => ({ kind: 'failed', reason: expect.stringMatching(reason) });
const nothing = { reset: [], residual: [] };

describe('a disk that is full', () => {
  const limited = (
    blocks: number,
    { program, manifest }: Awaited<ReturnType<typeof build>>,
    value: string,
  ) =>
    said('sh', [
      '-c',
      `ulimit -f ${blocks}; exec "$@"`,
      'sh',
      process.execPath,
      program,
      manifest,
      value,
    ]);

  test('cannot keep an original, or not hold a new content: nothing is changed, all is reset', async () => {
    const set = await build();
    expect(await limited(200, set, '300000')).toEqual([
      { ...nothing, forgottenIds: [] },
      ['absent', failed(/^"system\/absent": EFBIG/), { kind: 'reset' }],
      ['large', failed(/^"system\/large": EFBIG/), { kind: 'reset' }],
      ['small', failed(/^"system\/small": EFBIG/), { kind: 'reset' }],
      nothing,
    ]);
    expect(set.system()).toEqual(set.before);
    // An original whose record there was no room for goes with the next start.
    await limited(200, set, '10');
    expect(readdirSync(join(set.directory, 'state/originals'))).toEqual([]);
  });

  test('leaves what can be done to be done', async () => {
    const set = await build();
    const [, ...rest] = await limited(200, set, '10');
    expect(rest).toEqual([
      ['absent', { kind: 'injected' }, { kind: 'reset' }],
      ['large', failed(/EFBIG/), { kind: 'reset' }],
      ['small', { kind: 'injected' }, { kind: 'reset' }],
      nothing,
    ]);
    expect(set.system()).toEqual(set.before);
  });
});

test('a directory that may not be written to: told, and nothing is changed', async () => {
  const { directory, program, manifest, before, system } = await build();
  const nobody = 65_534;
  const args = [program, manifest, '10'];
  mkdirSync(join(directory, 'state'));
  chmodSync(join(directory, 'system'), 0o555);
  chmodSync(directory, 0o755);
  const isRoot = process.getuid?.() === 0;
  // Root may write anywhere, so that it must be somebody else who tries.
  if (isRoot) chownSync(join(directory, 'state'), nobody, nobody);
  const [, ...rest] = isRoot
    ? await said('setpriv', [`--reuid=${nobody}`, '--clear-groups', process.execPath, ...args])
    : await said(process.execPath, args);
  chmodSync(join(directory, 'system'), 0o755);
  const refused = (name: string) =>
    failed(new RegExp(`^"system/${name}": EACCES: permission denied`));
  expect(rest).toEqual([
    ['absent', refused('absent'), { kind: 'reset' }],
    ['large', refused('large'), { kind: 'reset' }],
    ['small', refused('small'), { kind: 'reset' }],
    nothing,
  ]);
  expect(system()).toEqual(before);
});

test('a directory that may not be written to any more: its file is put back all the same', async () => {
  const { directory, program, manifest, system } = await build();
  const nobody = 65_534;
  const host = await openHost({
    mutators: readManifest(readFileSync(manifest, 'utf8')),
    directory,
    stateDirectory: join(directory, 'state'),
    environment: process.env,
    events: () => {},
  });
  for (const id of ['large', 'small']) {
    const params = valuesOf({ value: id === 'large' ? 'short' : 'a longer value' });
    expect(await host.inject(id, { id: MUTATION, params })).toEqual({ kind: 'injected' });
  }
  // As if it were killed.
  host.abandon();
  await host.shutdown({ graceMs: 0, timeoutMs: 0 });
  chmodSync(join(directory, 'system'), 0o555);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['-R', String(nobody), directory]);
  const args = [program, manifest, '10'];
  const [recovery] = isRoot
    ? await said('setpriv', [`--reuid=${nobody}`, '--clear-groups', process.execPath, ...args])
    : await said(process.execPath, args);
  expect(recovery).toEqual({ ...nothing, reset: ['large', 'small'], forgottenIds: [] });
  expect(system()).toEqual({ small: 'as it was', large: 'y'.repeat(500_000) });
  expect(readdirSync(join(directory, 'state/originals'))).toEqual([]);
  chmodSync(join(directory, 'system'), 0o755);
});

describe('a host of real actuators', () => {
  const open = (directory: string, manifest: string) =>
    openHost({
      mutators: readManifest(manifest),
      directory,
      stateDirectory: join(directory, 'state'),
      environment: process.env,
      events: () => {},
    });

  test('that cannot be made lets go of the state directory', async () => {
    const directory = temporaryDirectory();
    const broken =
      '[[mutator]]\nname = "m"\nactuator = { kind = "module", path = "missing.mjs" }\n';
    await expect(open(directory, broken)).rejects.toThrow(ActuatorError);
    const host = await open(directory, file('m', 'x'));
    await expect(open(directory, file('m', 'x'))).rejects.toThrow(StateError);
    await host.shutdown({ graceMs: 0, timeoutMs: 10_000 });
  });

  test('of which one cannot be made resets what the others left active, and no more', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'x'), 'as it was');
    const module = '[[mutator]]\nname = "b"\nactuator = { kind = "module", path = "b.mjs" }\n';
    writeFileSync(join(directory, 'b.mjs'), 'export const inject = () => {}, reset = inject;');
    const first = await open(directory, file('a', 'x') + module);
    await first.recover({ forgetMissing: false });
    await first.inject('a', { id: MUTATION, params: valuesOf({ value: 'new' }) });
    await first.inject('b', { id: MUTATION, params: new Map() });
    first.abandon();
    await first.shutdown({ graceMs: 0, timeoutMs: 0 });
    writeFileSync(join(directory, 'b.mjs'), 'throw new Error("no bench")');
    const second = await open(directory, file('a', 'x') + module);
    expect(second.unusable).toMatchObject({ code: 'not-loaded' });
    expect(await second.recover({ forgetMissing: false })).toMatchObject({
      reset: ['a'],
      residual: [{ id: 'b', reason: 'the module "b.mjs" cannot be loaded: Error: no bench' }],
    });
    expect(readFileSync(join(directory, 'x'), 'utf8')).toBe('as it was');
    second.abandon();
    await second.shutdown({ graceMs: 0, timeoutMs: 0 });
  });

  test('that is unusable forgets nothing', async () => {
    const directory = temporaryDirectory();
    const module = '[[mutator]]\nname = "b"\nactuator = { kind = "module", path = "b.mjs" }\n';
    writeFileSync(join(directory, 'b.mjs'), 'export const inject = () => {}, reset = inject;');
    const first = await open(directory, file('gone', 'x') + module);
    await first.recover({ forgetMissing: false });
    await first.inject('gone', { id: MUTATION, params: valuesOf({ value: 'new' }) });
    first.abandon();
    await first.shutdown({ graceMs: 0, timeoutMs: 0 });
    const kept = readdirSync(join(directory, 'state/originals'));
    writeFileSync(join(directory, 'b.mjs'), 'throw new Error("no bench")');
    const second = await open(directory, module);
    expect(await second.recover({ forgetMissing: true })).toMatchObject({
      residual: [{ id: 'gone' }],
      forgottenIds: [],
    });
    expect(readdirSync(join(directory, 'state/originals'))).toEqual(kept);
    await second.shutdown({ graceMs: 0, timeoutMs: 10_000 });
  });

  test('forgets a file that nobody knows how to reset, and keeps what it was', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'x'), 'as it was');
    const manifest = `[[mutator]]
name = "kept"
actuator = { kind = "exec", inject = ["true"], reset = ["true"] }
`;
    const first = await open(directory, manifest + file('gone', 'x'));
    await first.recover({ forgetMissing: false });
    const mutation = { id: MUTATION, params: valuesOf({ value: 'new' }) };
    expect(await first.inject('gone', mutation)).toEqual({ kind: 'injected' });
    // As if it were killed: nothing is reset, but the lock is let go of.
    first.abandon();
    await first.shutdown({ graceMs: 0, timeoutMs: 0 });
    const second = await open(directory, manifest);
    expect((await second.recover({ forgetMissing: false })).residual).toMatchObject([
      { id: 'gone' },
    ]);
    expect((await second.recover({ forgetMissing: true })).forgottenIds).toEqual(['gone']);
    expect(await second.shutdown({ graceMs: 0, timeoutMs: 10_000 })).toEqual(nothing);
    expect(readFileSync(join(directory, 'x'), 'utf8')).toBe('new');
    const [original, ...more] = readdirSync(join(directory, 'state/originals'));
    expect([original, more]).toEqual([expect.stringMatching(/^x-.*\.original\.forgotten$/), []]);
    const third = await open(directory, manifest);
    expect(await third.recover({ forgetMissing: false })).toEqual({ ...nothing, forgottenIds: [] });
    await third.shutdown({ graceMs: 0, timeoutMs: 10_000 });
  });

  test('ends the commands that run when it is abandoned', async () => {
    const directory = temporaryDirectory();
    const host = await open(
      directory,
      `[[mutator]]
name = "m"
actuator = { kind = "exec", inject = ["sh", "-c", "trap '' TERM; echo $$ > pid; touch begun; sleep 1000 & wait"], reset = ["true"], timeout = "1h" }
`,
    );
    const injecting = host.inject('m', { id: MUTATION, params: new Map() });
    await until(() => existsSync(join(directory, 'begun')));
    const group = -Number(readFileSync(join(directory, 'pid'), 'utf8'));
    expect(host.abandon()).toMatchObject([{ id: 'm', reason: 'its injection has not ended' }]);
    expect(await injecting).toMatchObject({ kind: 'failed' });
    await until(() => {
      try {
        return !process.kill(group, 0);
      } catch {
        return true;
      }
    });
    await host.shutdown({ graceMs: 0, timeoutMs: 0 });
  });
});
