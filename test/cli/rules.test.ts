import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRules } from '../../src/cli/rules.js';
import { perturb } from './program.js';

test('rules lists every rule with its severity', async () => {
  const { code, stdout } = await perturb(['rules']);
  expect(code).toBe(0);
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s+/).slice(0, 2));
  expect(listed).toEqual(allRules.map(({ id, severity }) => [id, severity]));
  expect((await perturb(['rules', 'list'])).stdout).toBe(stdout);
});

test('rules --format json holds what rules explain says', async () => {
  const { stdout } = await perturb(['rules', '--format', 'json']);
  const listed = JSON.parse(stdout);
  expect(listed.version).toBe(1);
  expect(listed.rules).toHaveLength(allRules.length);
  expect(listed.rules[0]).toEqual({
    id: 'toml/syntax',
    severity: 'error',
    summary: 'the file is not valid TOML',
    why: 'Perturb cannot reliably parse anything after a syntax error, so it checks nothing else.',
    action: 'Correct the TOML at the reported position.',
    fixable: true,
    fix: 'safe',
    mandatory: true,
  });
});

test.each([
  'toml/syntax',
  'objective/wrong-type',
  'catalog/range-type',
  'expression/unknown-label',
  'manifest/invalid-range',
  'config/unknown-rule',
])('rules explain %s shows its page of the docs', async (id) => {
  const { code, stdout } = await perturb(['rules', 'explain', id]);
  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(`docs/rules/${id}.md`, 'utf8'));
});

test('rules explain --format json holds the rule, and its examples as they are', async () => {
  const id = 'expression/unknown-label';
  const { code, stdout } = await perturb(['rules', 'explain', id, '--format', 'json']);
  expect(code).toBe(0);
  const { version, rule } = JSON.parse(stdout);
  const { examples, ...told } = rule;
  expect(version).toBe(1);
  const { rules } = JSON.parse((await perturb(['rules', '-f', 'json'])).stdout);
  expect(rules).toContainEqual(told);
  const page = readFileSync(`docs/rules/${id}.md`, 'utf8');
  expect(page).toContain(`## Fails\n\n\`\`\`\n${examples.fails}\n`);
  expect(page).toContain(`## Passes\n\n\`\`\`\n${examples.passes}\n`);
});

test.each([
  [
    'objective/wrong-typ',
    'perturb: there is no rule "objective/wrong-typ"\ndid you mean "objective/wrong-type"?\nperturb rules lists them all.\n',
  ],
  [
    'wrong-type',
    'perturb: there is no rule "wrong-type"\nexpected one of "objective/wrong-type", "manifest/wrong-type" or "config/wrong-type"\nperturb rules lists them all.\n',
  ],
  [
    'ignore/*',
    'perturb: there is no rule "ignore/*"\nexpected one of "ignore/unused" or "ignore/unknown-rule"\nperturb rules lists them all.\n',
  ],
])('rules explain %s: 2, with the nearest', async (id, stderr) => {
  expect(await perturb(['rules', 'explain', id])).toEqual({ code: 2, stdout: '', stderr });
});

test('rules explain takes a name without its group', async () => {
  const whole = await perturb(['rules', 'explain', 'expression/cartesian-product']);
  expect(whole.stdout).toContain('# expression/cartesian-product');
  expect(await perturb(['rules', 'explain', 'cartesian-product'])).toEqual(whole);
});
