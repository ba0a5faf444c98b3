import { expect, test } from 'vitest';
import { rules } from '../../src/objective/index.js';
import { perturb } from './program.js';

test('rules lists every rule with its severity', async () => {
  const { code, stdout } = await perturb(['rules']);
  expect(code).toBe(0);
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2));
  expect(listed).toEqual(rules.map(({ id, severity }) => [id, severity]));
  expect((await perturb(['rules', 'list'])).stdout).toBe(stdout);
});

test('rules --format json holds what rules explain says', async () => {
  const { stdout } = await perturb(['rules', '--format', 'json']);
  const listed = JSON.parse(stdout);
  expect(listed.version).toBe(1);
  expect(listed.rules).toHaveLength(rules.length);
  expect(listed.rules[0]).toEqual({
    id: 'toml/syntax',
    severity: 'error',
    summary: 'the file is not TOML',
    why: 'Nothing after the mistake can be read with certainty, so nothing else is checked.',
    action: 'Correct the TOML at the place that is marked.',
    fixable: false,
    mandatory: true,
  });
});

test('rules explain shows the page of a rule', async () => {
  const { code, stdout } = await perturb(['rules', 'explain', 'objective/wrong-type']);
  expect(code).toBe(0);
  await expect(stdout).toMatchFileSnapshot('../../fixtures/reporters/rule-page.md');
});

test.each([
  [
    'objective/wrong-typ',
    'perturb: there is no rule "objective/wrong-typ"\ndid you mean "objective/wrong-type"?\nperturb rules lists them all.\n',
  ],
  [
    'wrong-type',
    'perturb: there is no rule "wrong-type"\nexpected "objective/wrong-type"\nperturb rules lists them all.\n',
  ],
])('rules explain %s: 2, with the nearest', async (id, stderr) => {
  expect(await perturb(['rules', 'explain', id])).toEqual({ code: 2, stdout: '', stderr });
});
