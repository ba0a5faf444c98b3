import { describe, expect, it } from 'vitest';
import { check } from '../../../src/expression/index.js';

describe('a label that is misspelt', () => {
  const helpsIn = (text: string) =>
    check(text, { role: 'check' })
      .findings.filter(({ rule }) => rule === 'expression/unknown-label')
      .map(({ help }) => help);
  const help = (label: string, name: string) =>
    helpsIn(`MATCH (a = 1) AS ${label} FILTER ${name}.x = 1`);

  it('is put right up to 64 characters; of longer ones the labels are listed', () => {
    const label = 'abcdefgh'.repeat(8);
    const shown = '"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabc…"';
    expect(help(label, label.replace(/h$/, 'x'))).toEqual([`did you mean ${shown}?`]);
    expect(help(label, `${label}x`)).toEqual([`expected ${shown}`]);
  });

  it('is put right until 200,000 pairs are compared', () => {
    const others = Array.from({ length: 2000 }, (_, index) => `, (a = 1) AS x${index}`).join('');
    const letters = [...'bcdefghijkl'];
    const words = letters.flatMap((a) => letters.map((b) => `t${a}${b}get`)).slice(0, 101);
    const uses = words.map((word) => `${word}.x = 1`).join(' OR ');
    expect(helpsIn(`MATCH (a = 1) AS target${others} FILTER ${uses}`)).toEqual([
      ...Array.from({ length: 100 }, () => 'did you mean "target"?'),
      'expected one of "target", "x0", "x1", "x2", "x3", "x4", "x5", "x6" or 1993 more',
    ]);
  });

  it('has all labels listed when it is long, whatever they are', () => {
    expect(help('mutants', 'x'.repeat(65))).toEqual(['expected "mutants"']);
  });
});
