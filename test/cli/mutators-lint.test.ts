import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

const lint = ['mutators', 'lint'];
const CLEAN = readFileSync('fixtures/mutators/drone.mutators.toml', 'utf8');
const WRONG = `[[mutator]]
nme = "wind"

[mutator.actuator]
kind = "module"
path = "./wind.js"
`;

const REPORT = `error[manifest/unknown-key]: unknown key "nme"
  ╭─ a.toml:2:1
1 │ [[mutator]]
2 │ nme = "wind"
  │ ^^^
  ╰─ help: did you mean "name"?

1 error in 1 file
`;

test('a manifest is reported like an objective', async () => {
  const cwd = directoryWith({ 'a.toml': WRONG });
  expect(await perturb([...lint, 'a.toml'], { cwd })).toEqual({
    code: 1,
    stdout: REPORT,
    stderr: '',
  });
  expect(await perturb([...lint, '-', '--stdin-filename', 'a.toml'], { stdin: WRONG })).toEqual({
    code: 1,
    stdout: REPORT,
    stderr: '',
  });
});

test('a clean one: a line that says so, and 0', async () => {
  expect(await perturb([...lint, '-'], { stdin: CLEAN })).toEqual({
    code: 0,
    stdout: 'no problems in 1 file\n',
    stderr: '',
  });
});

test('a directory is searched for manifests, and every format is there', async () => {
  const cwd = directoryWith({
    '.git/HEAD': '',
    '.gitignore': 'drafts/\n',
    'deep/a.mutators.toml': WRONG,
    'drafts/b.mutators.toml': WRONG,
    'c/mutators.toml': CLEAN,
    'other-mutators.toml': WRONG,
    'd.objective.toml': WRONG,
  });
  const { code, stdout } = await perturb([...lint, '-f', 'json', '-f', 'compact=out/c.txt'], {
    cwd,
  });
  expect(code).toBe(1);
  expect(JSON.parse(stdout).summary).toEqual({ files: 2, errors: 1, warnings: 0 });
  expect(readFileSync(`${cwd}/out/c.txt`, 'utf8')).toBe(
    'deep/a.mutators.toml:2:1: error manifest/unknown-key: unknown key "nme"; did you mean "name"?\n',
  );
  expect((await perturb([...lint, 'deep/*.toml', '-f', 'github'], { cwd })).code).toBe(1);
});

test('sarif knows the rules of manifests', async () => {
  const { stdout } = await perturb([...lint, '-', '-f', 'sarif'], { stdin: WRONG });
  const [{ results }] = JSON.parse(stdout).runs;
  expect(results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['manifest/unknown-key']);
});

test('nothing found: 2, naming what was looked for', async () => {
  const cwd = directoryWith({ 'a.objective.toml': WRONG });
  expect(await perturb([...lint, 'nope.toml', '.'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: cannot read nope.toml: no such file or directory
perturb: no files to check in .: no mutators.toml or *.mutators.toml found (git-ignored files are skipped)
`,
  });
});

const SLIPS = `[[mutator]]
nme = "wind"

[[mutator.param]]
name = "speed"
type = "int"
hard_range = [0, 5.0]

[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady"]
default = "gusty"

[mutator.actuator]
kind = "exec"
inject = ["./wind.sh", "{sped}", "$mode", "\\e"]
reset = ["./wind.sh"]
`;

test('--fix and --suggested mend a manifest as they do an objective', async () => {
  const cwd = directoryWith({ 'a.toml': SLIPS });
  const after = () => readFileSync(`${cwd}/a.toml`, 'utf8');
  const safe = SLIPS.replace('\\e', '\\u001b');
  const dry = await perturb([...lint, '--fix-dry-run', 'a.toml'], { cwd });
  expect(dry.stdout.split('\n').filter((line) => /^[+-]inject/.test(line))).toEqual([
    '-inject = ["./wind.sh", "{sped}", "$mode", "\\e"]',
    '+inject = ["./wind.sh", "{sped}", "$mode", "\\u001b"]',
  ]);
  expect(after()).toBe(SLIPS);
  expect(await perturb([...lint, '--fix', 'a.toml'], { cwd })).toMatchObject({ code: 1 });
  expect(after()).toBe(safe);
  const all = await perturb([...lint, '--fix', '--suggested', 'a.toml'], { cwd });
  expect(all).toEqual({
    code: 0,
    stdout: 'no problems in 1 file\n',
    stderr: 'perturb: fixed 1 file\n',
  });
  expect(after()).toBe(
    safe
      .replace('nme', 'name')
      .replace('"int"', '"integer"')
      .replace('5.0', '5')
      .replace('"gusty"', '"gust"')
      .replace('{sped}', '{speed}')
      .replace('$mode', '{mode}'),
  );
});

test.each([
  [['--fix', '--fix-dry-run'], '--fix and --fix-dry-run cannot be combined'],
  [['--suggested'], '--suggested needs --fix or --fix-dry-run'],
])('%j is refused', async (flags, problem) => {
  const { code, stderr } = await perturb([...lint, ...flags], { cwd: directoryWith({}) });
  expect([code, stderr.split('\n')[0]]).toEqual([2, `perturb: ${problem}`]);
});
