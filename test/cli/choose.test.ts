import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLEAN, directoryWith, perturb, WRONG } from './program.js';

const TWO = CLEAN.replace("name = 'CRASH'", 'name = CRASH').replace(
  'name = "Wind"',
  'title = "x"\nname = "Wind"',
);
const lint = ['objective', 'lint', '--format', 'compact'];
const rulesOf = (stdout: string) =>
  [...stdout.matchAll(/(?:error|warning) (\S+):/g)].map(([, id]) => id);

test.each([
  [['--only', 'objective/unknown-key'], ['objective/unknown-key']],
  [['--only', 'expression/*'], ['expression/unquoted-string']],
  [['--skip', 'expression/*'], ['objective/unknown-key']],
  [['--only', 'objective/*', '--skip', 'objective/unknown-key'], []],
])('%j', async (flags, rules) => {
  const { stdout, stderr } = await perturb([...lint, '-', ...flags], { stdin: TWO });
  expect({ rules: rulesOf(stdout), stderr }).toEqual({ rules, stderr: '' });
});

test.each([
  [
    ['--only', 'objective/unknown-ky'],
    'there is no rule "objective/unknown-ky"\ndid you mean "objective/unknown-key"?',
  ],
  [['--only', 'unknown-key'], 'there is no rule "unknown-key"\nexpected "objective/unknown-key"'],
  [['--only', 'expresion/*'], 'there is no group "expresion/*"\ndid you mean "expression/*"?'],
  [['--skip', 'toml/syntax'], 'rule "toml/syntax" cannot be skipped'],
])('%j is wrong usage', async (flags, message) => {
  const { code, stderr } = await perturb([...lint, '-', ...flags], { stdin: TWO });
  expect({ code, stderr }).toEqual({ code: 2, stderr: `perturb: ${message}\n` });
});

const MANIFEST = `[[mutator]]
name = "wind"

[mutator.actuator]
kind = "exec"
inject = ["./wind.sh"]
reset = ["./wind.sh"]
`;

test.each([
  [
    ['--only', 'catalog/*'],
    'catalog/*, but there are no mutators to check against',
    'Pass a source with --mutators, or list it in perturb.toml.',
  ],
  [
    ['--only', 'objective/*', '--only', 'catalog/unknown-mutator'],
    'catalog/unknown-mutator, but there are no mutators to check against',
    'Pass a source with --mutators, or list it in perturb.toml.',
  ],
  [
    ['--only', 'catalog/*', '--mutators', 'broken.toml'],
    'catalog/*, but there are no mutators to check against',
    'A manifest has errors: perturb mutators lint shows them.',
  ],
  [
    ['--only', 'recorded/*'],
    'recorded/*, but there are no recorded sessions to check against',
    'Pass sessions with --sessions, or list them in perturb.toml.',
  ],
  [
    ['--only', 'expression/extension'],
    'expression/extension, which is off',
    'Set its level in [lint.rules] of perturb.toml.',
  ],
])('%j looks at nothing, and says so', async (flags, what, help) => {
  const cwd = directoryWith({ 'a.toml': CLEAN, 'broken.toml': '[[mutator]]\n' });
  expect(await perturb([...lint, 'a.toml', ...flags], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: nothing was checked: --only selects ${what}\n${help}\n`,
  });
});

test('--only says nothing of rules where there is no file', async () => {
  const args = [...lint, 'no.toml', '--only', 'catalog/*', '--only', 'expression/*'];
  expect(await perturb(args, { cwd: directoryWith({}) })).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: 'perturb: cannot read no.toml: no such file or directory\n',
  });
});

test('--only takes the rules that one of several projects can check', async () => {
  const wind = CLEAN.replace('\n\n', '\n\n[[mutator]]\nname = "wnd"\n\n');
  const cwd = directoryWith({
    'a.toml': CLEAN,
    'deep/a.toml': wind,
    'deep/perturb.toml': '[lint]\nmutators = ["mutators.toml"]\n',
    'deep/mutators.toml': MANIFEST,
  });
  const args = [...lint, 'a.toml', 'deep/a.toml', '--only', 'catalog/*'];
  const { code, stdout } = await perturb(args, { cwd });
  expect([code, rulesOf(stdout)]).toEqual([1, ['catalog/unknown-mutator']]);
});

test('what is not TOML is reported whatever is chosen', async () => {
  const { code, stdout } = await perturb([...lint, '-', '--only', 'expression/*'], { stdin: '=' });
  expect([code, rulesOf(stdout)]).toEqual([1, ['toml/syntax']]);
});

test('--max-findings shows so many, and counts all; --statistics counts by rule', async () => {
  const cwd = directoryWith({ 'a.toml': TWO, 'b.toml': WRONG });
  const args = ['objective', 'lint', 'a.toml', 'b.toml', '--max-findings', '1', '--statistics'];
  const { code, stdout } = await perturb(args, { cwd });
  expect(code).toBe(1);
  expect(stdout.split('\n').slice(-9).join('\n')).toBe(`  ╰─ help: did you mean "name"?

2 more findings not shown; --max-findings 0 shows all
2 errors and 1 warning in 2 files

FINDINGS  FILES  RULE
2         2      objective/unknown-key
1         1      expression/unquoted-string
`);
});

test('perturb.toml names a baseline, from its own directory', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nbaseline = "known.json"\n',
    'deep/a.toml': WRONG,
  });
  const deep = { cwd: join(cwd, 'deep') };
  const args = [...lint, 'a.toml'];
  expect(await perturb(args, deep)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('perturb: cannot read ../known.json: no such file'),
  });
  await perturb([...args, '--write-baseline', '../known.json'], deep);
  expect(await perturb(args, deep)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a baseline holds what is known, outlives moved lines, and says what is mended', async () => {
  const cwd = directoryWith({ 'a.toml': TWO, 'b.toml': WRONG });
  const run = (...flags: readonly string[]) => perturb([...lint, 'a.toml', ...flags], { cwd });
  expect(await run('b.toml', '--write-baseline', 'base.json')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'perturb: wrote 3 findings to base.json\n',
  });
  const baseline = JSON.parse(readFileSync(join(cwd, 'base.json'), 'utf8'));
  expect(baseline.findings[0]).toEqual({
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    rule: 'objective/unknown-key',
    file: 'a.toml',
    message: 'unknown key "title"',
  });
  const moved = directoryWith({
    'a.toml': `\n\n${TWO.replace('CRASH', "'CRASH'")}\n[extra]\n`,
    'base.json': readFileSync(join(cwd, 'base.json')),
  });
  expect(await perturb([...lint, 'a.toml', '--baseline', 'base.json'], { cwd: moved })).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^a\.toml:\d+:\d+: error objective\/unknown-key: unknown key "extra".*\n$/,
    ),
    stderr: `perturb: base.json: no longer found: a.toml: "CRASH" is an attribute here, because it has no quotes (expression/unquoted-string)
perturb: base.json: no longer found: b.toml: unknown key "title" (objective/unknown-key)
perturb: remove obsolete entries with --write-baseline
`,
  });
  const pretty = await perturb(['objective', 'lint', 'a.toml', '--baseline', 'base.json'], { cwd });
  expect(pretty).toEqual({
    code: 0,
    stdout: 'nothing new in 1 file, 2 in the baseline\n',
    stderr: '',
  });
});

test('a baseline written for a part keeps its other entries, but none of deleted files', async () => {
  const cwd = directoryWith({ 'a.toml': TWO, 'sub/b.toml': WRONG, 'c.toml': WRONG });
  const write = (words: readonly string[], at = cwd) =>
    perturb(['objective', 'lint', ...words], { cwd: at });
  await write(['a.toml', 'sub/b.toml', 'c.toml', '--write-baseline', 'base.json']);
  const known = () =>
    JSON.parse(readFileSync(join(cwd, 'base.json'), 'utf8')).findings.map(
      ({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`,
    );
  const all = [
    'a.toml objective/unknown-key',
    'a.toml expression/unquoted-string',
    'sub/b.toml objective/unknown-key',
    'c.toml objective/unknown-key',
  ];
  expect(known().sort()).toEqual(all.toSorted());
  writeFileSync(join(cwd, 'a.toml'), CLEAN);
  const only = ['--only', 'expression/*', '--write-baseline', 'base.json'];
  expect((await write(['a.toml', ...only])).stderr).toBe(
    'perturb: wrote 0 findings to base.json, and kept 3 from unchecked files or rules\n',
  );
  expect(known().sort()).toEqual(all.filter((one) => !one.includes('unquoted')).toSorted());
  rmSync(join(cwd, 'c.toml'));
  const deep = join(cwd, 'sub');
  expect((await write(['b.toml', '--write-baseline', '../base.json'], deep)).stderr).toBe(
    'perturb: wrote 1 finding to ../base.json, and kept 1 from unchecked files or rules\n',
  );
  expect(known().sort()).toEqual([
    'a.toml objective/unknown-key',
    'sub/b.toml objective/unknown-key',
  ]);
});

test.each([
  ['no.json', 'cannot read no.json: no such file or directory'],
  ['a.toml', "a.toml is not a baseline: not JSON: JSON value expected but got 'n' at position 0"],
  ['null.json', 'null.json is not a baseline: must be object'],
  ['nulls.json', 'nulls.json is not a baseline: findings[0] must be object'],
  ['other.json', 'other.json is not a baseline: format version 2'],
  [
    'short.json',
    'short.json is not a baseline: findings[0] must have required properties file, message',
  ],
])('a baseline that is none: %s', async (name, message) => {
  const cwd = directoryWith({
    'a.toml': CLEAN,
    'null.json': 'null',
    'nulls.json': '{ "version": 1, "findings": [null] }',
    'other.json': '{ "version": 2, "findings": [] }',
    'short.json': '{ "version": 1, "findings": [{ "fingerprint": "", "rule": "" }] }',
  });
  expect(await perturb([...lint, 'a.toml', '--baseline', name], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: ${message}\nWrite it with --write-baseline.\n`,
  });
});
