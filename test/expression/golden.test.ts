import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { check, expressionRules, parse, print } from '../../src/expression/index.js';
import { render } from './render.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/expression/', import.meta.url));

function traces(folder: string): string[] {
  return readdirSync(`${FIXTURES}${folder}`)
    .filter((file) => file.endsWith('.trace'))
    .map((file) => file.replace(/\.trace$/, ''));
}

function read(folder: string, name: string): string {
  return readFileSync(`${FIXTURES}${folder}/${name}.trace`, 'utf8');
}

/** A fixture is named after the rule that it is about. */
function ruleOf(name: string): string | undefined {
  return expressionRules
    .map(({ meta }) => meta.id.replace('expression/', ''))
    .find((rule) => name.startsWith(`${rule}-`));
}

describe('expressions without a finding', () => {
  it.each(traces('ok'))('%s', (name) => {
    const text = read('ok', name);
    expect(render(check(text, { role: 'check' }).findings)).toBe('');
    const { expression } = parse(text);
    const printed = expression === undefined ? '' : print(expression);
    expect(render(check(printed, { role: 'check' }).findings)).toBe('');
  });
});

describe('expressions with findings', () => {
  it.each(traces('err'))('%s', async (name) => {
    const role = name.startsWith('aggregate-in-precondition') ? 'precondition' : 'check';
    const { findings } = check(read('err', name), { role });
    expect(findings.map(({ rule }) => rule)).toContain(`expression/${ruleOf(name)}`);
    await expect(render(findings)).toMatchFileSnapshot(`${FIXTURES}err/${name}.out`);
  });

  it.each(expressionRules.map(({ meta }) => meta.id))('has at least two for %s', (id) => {
    const names = traces('err').filter((name) => `expression/${ruleOf(name)}` === id);
    expect(names.length).toBeGreaterThanOrEqual(2);
  });
});
