import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

/* A repository of several projects: the nearest perturb.toml of each file holds. */

const OBJECTIVE = `name = "x"

[[mutator]]
name = "gale"

[[measurement]]
name = "m"
check = "MATCH (name = 'GUTS') AS g"
`;

const rules = (level: string) => `[lint.rules]\n"objective/no-stopping-condition" = "${level}"\n`;

const MANIFEST = `[[mutator]]
name = "wind"

[mutator.actuator]
kind = "exec"
inject = ["./wind.sh"]
reset = ["./wind.sh"]
`;

const FILES = {
  'perturb.toml': rules('off'),
  'top.objective.toml': OBJECTIVE,
  'a/perturb.toml': `[lint]\nmutators = ["mutators.toml"]\nsessions = ["flights"]\n${rules('error')}`,
  'a/mutators.toml': MANIFEST,
  'a/flights/1.session.jsonl': '{"probe":"GAZEBO","name":"GUST"}\n',
  'a/deep/a.objective.toml': OBJECTIVE,
  'b/perturb.toml': '',
  'b/b.objective.toml': OBJECTIVE,
};

const OF_A = [
  'catalog/unknown-mutator',
  'objective/no-stopping-condition error',
  'recorded/unknown-name',
];
const OF_B = ['objective/no-stopping-condition warning'];

/** The rules of the findings for each file, with the severity of the rule whose level differs. */
async function found(args: readonly string[], cwd: string, stdin?: string) {
  const around = { cwd, ...(stdin !== undefined && { stdin }) };
  const { stdout, stderr } = await perturb(['objective', 'lint', '-f', 'json', ...args], around);
  expect(stderr.replace(/^perturb: mutators.* not checked: .*\n/m, '')).toBe('');
  const files = new Map<string, string[]>();
  for (const { file, rule, severity } of JSON.parse(stdout).findings) {
    const level = rule === 'objective/no-stopping-condition' ? ` ${severity}` : '';
    files.set(file, [...(files.get(file) ?? []), `${rule}${level}`].sort());
  }
  return Object.fromEntries(files);
}

test('levels, mutators and sessions are those of the nearest perturb.toml of each file', async () => {
  const cwd = directoryWith(FILES);
  const expected = { 'a/deep/a.objective.toml': OF_A, 'b/b.objective.toml': OF_B };
  expect(await found([], cwd)).toEqual(expected);
  expect(
    await found(['../a', 'b.objective.toml', '../top.objective.toml'], join(cwd, 'b')),
  ).toEqual({
    ...{ '../a/deep/a.objective.toml': OF_A, 'b.objective.toml': OF_B },
  });
  const stdin = ['-', '--stdin-filename', 'a/new.toml'];
  expect(await found(stdin, cwd, OBJECTIVE)).toEqual({ 'a/new.toml': OF_A });
});

test('one that is named holds for all files, and so do mutators and sessions that are', async () => {
  const cwd = directoryWith(FILES);
  expect(await found(['--config', 'perturb.toml'], cwd)).toEqual({});
  const flags = [
    '--mutators',
    'a/mutators.toml',
    '--sessions',
    'a/flights',
    'b',
    'top.objective.toml',
  ];
  expect(await found(flags, cwd)).toEqual({
    'b/b.objective.toml': ['catalog/unknown-mutator', ...OF_B, 'recorded/unknown-name'],
    'top.objective.toml': ['catalog/unknown-mutator', 'recorded/unknown-name'],
  });
});

test('what flags name is read once for all of them', async () => {
  const cwd = directoryWith({ ...FILES, 'broken.jsonl': '{"probe":\n{"probe":"A","name":"x"}\n' });
  const args = ['objective', 'lint', 'a', 'b', '--sessions', 'broken.jsonl'];
  const { stderr } = await perturb(args, { cwd });
  expect(stderr).toMatch(
    /^perturb: warning: broken\.jsonl: 1:10: not JSON: [^\n]+\nperturb: mutators of 1 file not checked: [^\n]+\n$/,
  );
});

test('what is registered is checked by its own perturb.toml', async () => {
  const cwd = directoryWith(FILES);
  const create = ['objective', 'create', '--dry-run', '-f', 'json'];
  const of = async (file: string) => JSON.parse((await perturb([...create, file], { cwd })).stdout);
  expect((await of('a/deep/a.objective.toml')).findings).toHaveLength(3);
  expect((await of('top.objective.toml')).findings).toEqual([]);
});

test('a perturb.toml with mistakes stops its own project alone', async () => {
  const cwd = directoryWith({ ...FILES, 'b/perturb.toml': '[lint]\nexcludes = []\n' });
  const { code, stdout, stderr } = await perturb(['objective', 'lint', '-f', 'json'], { cwd });
  const files = JSON.parse(stdout).findings.map(({ file }: { file: string }) => file);
  expect([...new Set(files)].sort()).toEqual(['a/deep/a.objective.toml']);
  expect(stderr).toContain('b/perturb.toml:2:1');
  expect(stderr).toContain(
    'perturb: the files of b/perturb.toml are not checked: perturb.toml has errors\n',
  );
  expect(code).toBe(2);
  const created = await perturb(['objective', 'create', 'top.objective.toml', 'b'], { cwd });
  expect([created.code, created.stdout]).toEqual([2, 'no problems in 1 file\n']);
  expect(existsSync(join(cwd, '.perturb'))).toBe(false);
});
