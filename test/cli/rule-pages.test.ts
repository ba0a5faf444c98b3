import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRules } from '../../src/cli/rules.js';
import { RETIRED_IDS, ruleIndex, rulePage } from '../../src/diagnostics/index.js';
import { EXAMPLE_SESSION } from '../../src/expression/index.js';
import { EXAMPLE_MANIFEST } from '../../src/objective/index.js';

/* `docs/rules/` is generated from the rules: `npm run golden` writes what is missing or changed. */

const given = { manifest: EXAMPLE_MANIFEST, session: EXAMPLE_SESSION };

test.each(allRules.map((rule) => [rule.id, rule] as const))('the page of %s', async (id, rule) => {
  await expect(rulePage(rule, given)).toMatchFileSnapshot(`../../docs/rules/${id}.md`);
});

test('the index lists every rule', async () => {
  await expect(ruleIndex(allRules)).toMatchFileSnapshot('../../docs/rules/README.md');
});

test('every id is there once, and every page belongs to a rule', () => {
  const ids = allRules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => RETIRED_IDS.has(id))).toEqual([]);
  const pages = readdirSync('docs/rules', { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  const known = new Set(ids.map((id) => `${id}.md`));
  expect(pages.filter((page) => !known.has(page))).toEqual([]);
});

test('a summary becomes a sentence, whether it is one already or not', () => {
  const rule = { ...(allRules[0] as (typeof allRules)[number]) };
  const told = (summary: string) => rulePage({ ...rule, summary }, given).split('\n')[2];
  expect(told('a key is absent')).toBe('A key is absent.');
  expect(told('A key is absent.')).toBe('A key is absent.');
  expect(told('perturb.toml names no rule')).toBe('perturb.toml names no rule.');
  expect(told('`range` is empty')).toBe('`range` is empty.');
});
