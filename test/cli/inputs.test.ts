import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, perturbProcess } from './program.js';

/* What is read: regular files of at most 64 MiB, and pipes that the command line names. */

const MANIFEST = '[[mutator]]\nname = 3\n';
const LIMIT = 64 * 1024 * 1024;

/** A directory with an objective, a device without end, a pipe nobody writes into, and a huge file. */
function trap(): string {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'huge.toml': '', 'most.toml': '' });
  symlinkSync('/dev/zero', join(cwd, 'zero.toml'));
  spawnSync('mkfifo', [join(cwd, 'pipe.toml')]);
  truncateSync(join(cwd, 'huge.toml'), LIMIT + 1);
  return cwd;
}

const READERS = [
  ['perturb.toml', ['objective', 'lint', 'a.toml', '--config', '%'], 2, 'cannot read %: '],
  ['an objective', ['objective', 'diff', '%', 'a.toml'], 2, 'cannot read %: '],
  ['an expression', ['expression', 'check', '%.trace'], 2, 'cannot read %.trace: '],
  ['a served manifest', ['serve', 'mutators', '%', '--dry-run'], 2, 'cannot read %: '],
  [
    'a catalog',
    ['objective', 'lint', 'a.toml', '--mutators', '%'],
    4,
    'cannot read mutators from "%": ',
  ],
  ['a baseline', ['objective', 'lint', 'a.toml', '--baseline', '%'], 2, 'cannot read %: '],
  [
    'an API key',
    ['mutators', 'list', '--server', 'http://127.0.0.1:1', '--api-key-file', '%'],
    2,
    'cannot read %: ',
  ],
] as const;

const KINDS = [
  ['zero.toml', 'it is not a regular file'],
  ['huge.toml', 'it is larger than 64 MiB'],
] as const;

test
  .skipIf(process.platform === 'win32')
  .each(
    READERS.flatMap(([what, ...reader]) =>
      KINDS.map(([file, why]) => [what, file, why, ...reader] as const),
    ),
  )('%s is not read from %s', async (_, file, why, words, code, message) => {
  const cwd = trap();
  if (words[0] === 'expression') symlinkSync(file, join(cwd, `${file}.trace`));
  const outcome = await perturb(
    words.map((word) => word.replace('%', file)),
    { cwd },
  );
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(outcome.stderr.split('\n')[0]).toBe(`perturb: ${message.replace('%', file)}${why}`);
});

test.skipIf(process.platform === 'win32').each([['zero.toml'], ['pipe.toml']])(
  'perturb.toml that is found as %s ends the run',
  async (file) => {
    const cwd = trap();
    symlinkSync(file, join(cwd, 'perturb.toml'));
    expect(await perturb(['objective', 'lint', 'a.toml'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'perturb: cannot read perturb.toml: it is not a regular file\n',
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'a pipe is a catalog that the command line may name, and perturb.toml may not',
  async () => {
    const cwd = trap();
    writeFileSync(join(cwd, 'm.toml'), MANIFEST);
    writeFileSync(join(cwd, 'perturb.toml'), '[lint]\nmutators = ["pipe.toml"]\n');
    expect(await perturb(['objective', 'lint', 'a.toml'], { cwd })).toMatchObject({
      code: 4,
      stderr: 'perturb: cannot read mutators from "pipe.toml": it is not a regular file\n',
    });
    const command = 'cat m.toml > pipe.toml & exec "$0" "$@" --mutators pipe.toml';
    const lint = [resolve('dist/bin.cjs'), 'objective', 'lint', 'a.toml', '-f', 'compact'];
    const { status, stdout } = spawnSync('sh', ['-c', command, process.execPath, ...lint], {
      cwd,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout:
        'pipe.toml:1:1: error manifest/missing-key: missing key "actuator"; add a table [mutator.actuator]\n' +
        'pipe.toml:2:8: error manifest/wrong-type: expected a string, found an integer; put it in quotes: "3"\n',
    });
  },
);

test('stdin that does not end is read up to the limit', async () => {
  const stdin = Buffer.alloc(LIMIT + 1, '\n');
  expect(
    await perturbProcess(['objective', 'lint', '-'], { stdin, cwd: directoryWith({}) }),
  ).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: cannot read stdin: it is larger than 64 MiB\n',
  });
});

test.skipIf(process.platform === 'win32')(
  'no search leaves the project through a link',
  async () => {
    const outside = directoryWith({ 'secret.objective.toml': 'password = "hunter2"\n' });
    const cwd = directoryWith({ 'in/a.objective.toml': CLEAN });
    mkdirSync(join(cwd, 'objectives'));
    symlinkSync(outside, join(cwd, 'objectives', 'far'));
    symlinkSync(join(cwd, 'in'), join(cwd, 'objectives', 'near'));
    symlinkSync(join(outside, 'secret.objective.toml'), join(cwd, 'b.objective.toml'));
    const lint = ['objective', 'lint', '-f', 'compact'];
    expect(await perturb([...lint, '.'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'perturb: b.objective.toml is outside the project; to read it, pass its path\n',
    });
    writeFileSync(join(cwd, 'perturb.toml'), '[lint]\ninclude = ["objectives/**/*.toml"]\n');
    const { code, stdout, stderr } = await perturb(lint, { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/\nperturb: no file matches "include" in perturb.toml\n$/);
    expect(stderr).not.toContain('secret');
    expect(await perturb([...lint, 'b.objective.toml'], { cwd })).toMatchObject({ code: 1 });
  },
);

const WRITERS = [
  ['a session', ['session', 'import', 's.session.jsonl', '--out', '%']],
  ['a new objective', ['objective', 'new', 'b', '--force', '--output', '%']],
  ['a report', ['objective', 'measure', 'a.toml', 's.session.jsonl', '--report', '%']],
] as const;

test.skipIf(process.platform === 'win32').each(WRITERS)(
  '%s takes the place of no pipe, and of no link',
  async (_, words) => {
    const session = '{"probe":"A","name":"x"}\n';
    const cwd = directoryWith({ 'a.toml': CLEAN, 's.session.jsonl': session, private: 'old' });
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    symlinkSync('loop', join(cwd, 'loop'));
    symlinkSync('private', join(cwd, 'link'));
    chmodSync(join(cwd, 'private'), 0o600);
    const run = (to: string) =>
      perturb(
        words.map((word) => word.replace('%', to)),
        { cwd },
      );
    const long = 'x'.repeat(256);
    for (const [to, why] of [
      ['pipe', 'it is not a regular file'],
      ['loop', 'too many symbolic links'],
      [long, 'the name is too long'],
    ] as const) {
      const { code, stderr } = await run(to);
      expect([code, stderr]).toEqual([2, `perturb: cannot write ${to}: ${why}\n`]);
    }
    expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
    await run('link');
    expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
    const { mode, size } = statSync(join(cwd, 'private'));
    expect([mode & 0o777, size > 'old'.length]).toEqual([0o600, true]);
  },
);

test.skipIf(process.platform === 'win32')(
  'a word that the system takes for no path is no file',
  async () => {
    const cwd = directoryWith({ 's.session.jsonl': '{"probe":"A","name":"x"}\n' });
    symlinkSync('loop', join(cwd, 'loop'));
    for (const word of ['loop', 'x'.repeat(256)]) {
      const outcome = await perturb(['objective', 'measure', word, 's.session.jsonl'], { cwd });
      expect(outcome).toMatchObject({ code: 4, stdout: '' });
      expect(outcome.stderr).toContain('there is no store at .perturb/objectives.db yet');
    }
  },
);

test.each([
  [['session', 'inspect', ''], '<source> is empty'],
  [['objective', 'measure', 'a.toml', 'b.jsonl', ''], '<session> is empty'],
  [['runs', 'list', ''], '<directory> is empty'],
  [['serve', 'mutators', ''], '<manifest> is empty'],
  [
    ['objective', 'lint', '--mutators', ''],
    "option '--mutators <source>' argument '' is invalid. Expected a source.",
  ],
  [
    ['objective', 'diff', 'a', 'b', '--text', '-f', 'json'],
    "option '--text' cannot be used with option '-f, --format <name>'",
  ],
  ...['objective create', 'objective fmt', 'mutators lint', 'expression check'].map(
    (command): [string[], string] => [
      [...command.split(' '), 'a.toml', '--stdin-filename', 'x'],
      '--stdin-filename needs - for stdin among the arguments',
    ],
  ),
  [['session', 'import', 'a\nb'], 'cannot read a\\nb: no such file or directory'],
  [['runs', 'show', 'a\nb'], 'a\\nb is not a run directory: perturb runs list shows the runs'],
])('%j is refused on one line', async (args, message) => {
  const { code, stderr } = await perturb(args, { cwd: directoryWith({}) });
  expect([code, stderr]).toEqual([2, `perturb: ${message}\n`]);
});
