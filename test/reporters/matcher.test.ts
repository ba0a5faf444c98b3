import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/reporters/pretty/findings.js';
import { findings } from './arbitraries.js';
import { escaped } from './escaped.js';
import { sample } from './sample.js';

type Pattern = Readonly<Record<string, number>> & { readonly regexp: string };

interface Matcher {
  readonly owner: string;
  readonly pattern: readonly Pattern[];
}

const file = new URL('../../.github/perturb-matcher.json', import.meta.url);
const { problemMatcher } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly problemMatcher: readonly Matcher[];
};

/** What a problem matcher of GitHub makes of a line: each field is a group of its expression. */
function match(line: string): Record<string, string | undefined> | undefined {
  const pattern = problemMatcher[0]?.pattern[0];
  const { regexp, ...fields } = pattern as Pattern;
  const groups = new RegExp(regexp).exec(line);
  if (groups === null) return undefined;
  return Object.fromEntries(Object.entries(fields).map(([name, group]) => [name, groups[group]]));
}

function expected(found: typeof sample.findings) {
  return found.map((finding) => {
    const { line, column } = finding.file.lines.position(finding.span.start);
    const { message, help } = finding;
    return {
      file: escaped(finding.file.path),
      line: `${line}`,
      column: `${column}`,
      severity: finding.severity,
      code: finding.rule,
      message: escaped(help === undefined ? message : `${message}; ${help}`),
    };
  });
}

const linesOf = (output: string) => output.split('\n').slice(0, -1);

describe('the problem matcher', () => {
  it('is one matcher of one line', () => {
    expect(problemMatcher.map(({ owner, pattern }) => [owner, pattern.length])).toEqual([
      ['perturb', 1],
    ]);
  });

  it('finds every field of the sample', () => {
    expect(linesOf(compact(sample)).map(match)).toEqual(expected(sample.findings));
  });

  it('finds every field, whatever a message says', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const named = found.filter(({ file }) => file.path !== '');
        const lines = linesOf(compact({ ...sample, findings: named }));
        expect(lines.map(match)).toEqual(expected(named));
      }),
    );
  });

  it.each([
    'wind.objective.toml: 3 warnings',
    'wind.objective.toml:1:2: note expression/syntax: no',
    'error[expression/syntax]: no',
    '  ╭─ wind.objective.toml:8:13',
  ])('passes over %j', (line) => {
    expect(match(line)).toBe(undefined);
  });
});
