import { expect, test } from 'vitest';
import { directoryWith, perturb } from './program.js';

const check = ['expression', 'check'];

test('a sound expression', async () => {
  expect(await perturb([...check, "MATCH (name = 'CRASH') AS crash"])).toEqual({
    code: 0,
    stdout: 'no problems in 1 expression\n',
    stderr: '',
  });
});

test('a mistake is marked in the expression', async () => {
  const { code, stdout } = await perturb([
    ...check,
    "MATCH (name = 'CRASH') AS crash\nWHEN crash -> landed",
  ]);
  expect(code).toBe(1);
  expect(stdout).toBe(`error[expression/unknown-label]: no pattern has the label "landed"
  ╭─ expression:2:15
1 │ MATCH (name = 'CRASH') AS crash
2 │ WHEN crash -> landed
  │               ^^^^^^
  ╰─ help: expected "crash"

1 error in 1 expression
`);
});

test('a fix is for programs: the report for people has no --fix to offer', async () => {
  const text = 'MATCH (name = CRASH) AS crash';
  const { stdout } = await perturb([...check, text]);
  expect(stdout).toMatch(/help: write 'CRASH', .*\n\n1 warning in 1 expression\n$/s);
  const { findings } = JSON.parse((await perturb([...check, text, '-f', 'json'])).stdout);
  expect(findings[0].fix.edits[0].text).toBe("'CRASH'");
});

test('--precondition judges it as a precondition', async () => {
  const text = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0";
  expect((await perturb([...check, text])).stdout).toBe('no problems in 1 expression\n');
  const { code, stdout } = await perturb([...check, text, '--precondition']);
  expect(code).toBe(0);
  expect(stdout).toContain('warning[expression/aggregate-in-precondition]');
});

test('json holds the tree, with exact integers', async () => {
  const { code, stdout } = await perturb([...check, '-', '-f', 'json'], {
    stdin: 'MATCH (id = 9223372036854775807) AS a',
  });
  expect(code).toBe(0);
  expect(stdout).toContain('"value": 9223372036854775807');
  const { findings, expression } = JSON.parse(stdout);
  expect(findings).toEqual([]);
  expect(expression.match.patterns[0].label).toEqual({
    kind: 'name',
    span: { start: 36, end: 37 },
    text: 'a',
  });
});

test('json of a broken expression has findings and no tree', async () => {
  const { code, stdout } = await perturb([...check, 'MATCH', '-f', 'json']);
  expect(code).toBe(1);
  const { summary, expression } = JSON.parse(stdout);
  expect(summary).toEqual({ files: 1, errors: 1, warnings: 0 });
  expect(expression).toBeUndefined();
});

test('stdin that is not UTF-8 is wrong usage', async () => {
  expect(await perturb([...check, '-'], { stdin: Uint8Array.from([0xff]) })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: stdin is not UTF-8\n',
  });
});

test('a file is read, and a text that names none is an expression', async () => {
  const cwd = directoryWith({
    'crash.trace': "MATCH (name = 'CRASH') AS crash\n",
    plain: "MATCH (name = 'CRASH') AS crash WHEN crsh\n",
    'latin.trace': Buffer.from("MATCH (name = '\xff') AS a", 'latin1'),
  });
  const check = (word: string) => perturb(['expression', 'check', word], { cwd });
  expect(await check('crash.trace')).toEqual({
    code: 0,
    stdout: 'no problems in 1 expression\n',
    stderr: '',
  });
  expect((await check('plain')).stdout).toContain('plain:1:42');
  expect(await check('latin.trace')).toMatchObject({
    code: 2,
    stderr: 'perturb: latin.trace is not UTF-8\n',
  });
  expect(await check('crsh.trace')).toMatchObject({
    code: 2,
    stderr: 'perturb: cannot read crsh.trace: no such file or directory\n',
  });
});
