import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/diagnostics/index.js';
import { github, repositoryPath } from '../../../src/reporters/ci/annotations.js';
import { SourceFile } from '../../../src/source/index.js';
import { findings } from '../arbitraries.js';
import { escaped } from '../escaped.js';
import { context, golden, sample } from '../sample.js';

describe('github', () => {
  it('renders the sample', async () => {
    await expect(github(sample, context)).toMatchFileSnapshot(golden('github.txt'));
  });

  it('says only how many files a clean run has', () => {
    expect(github({ ...sample, findings: [] }, context)).toBe('no problems in 6 files\n');
  });

  it('keeps a message with every special character in one annotation', () => {
    const message = '100%, a::b\r\n::error file=x,line=1::no %0A %25';
    const file = new SourceFile('a,b:c%2C.toml', 'one two');
    const found: Finding = {
      rule: 'toml/syntax',
      severity: 'warning',
      message,
      help: 'do\nthis',
      file,
      span: { start: 4, end: 7 },
    };
    const output = github({ ...sample, findings: [found] }, context);
    expect(output).toBe(
      '::warning file=bench/a%2Cb%3Ac%252C.toml,line=1,endLine=1,col=5,endColumn=7,title=toml/syntax' +
        '::bench/a,b:c%252C.toml:1:5: 100%25, a::b%0D%0A::error file=x,line=1::no %250A %2525' +
        ' (toml/syntax)%0Ado%0Athis\n1 warning in 6 files\n',
    );
    expect(parse(output)).toEqual([
      {
        command: 'warning',
        file: 'bench/a,b:c%2C.toml',
        line: '1',
        endLine: '1',
        col: '5',
        endColumn: '7',
        title: 'toml/syntax',
        message: `bench/a,b:c%2C.toml:1:5: ${message} (toml/syntax)\ndo\nthis`,
      },
    ]);
  });

  it.each([
    ['a word', 0, 2, { line: '1', endLine: '1', col: '1', endColumn: '2' }],
    ['nothing', 1, 1, { line: '1', endLine: '1', col: '2', endColumn: '2' }],
    ['a line end', 2, 4, { line: '1', endLine: '1', col: '3', endColumn: '4' }],
    ['two lines', 0, 6, { line: '1', endLine: '2' }],
    ['the end', 7, 7, { line: '3', endLine: '3', col: '1', endColumn: '1' }],
  ])('marks %s by inclusive ends', (_, start, end, place) => {
    const file = new SourceFile('a.toml', 'ab\r\ncd\n');
    const found: Finding = {
      rule: 'toml/syntax',
      severity: 'error',
      message: 'no',
      file,
      span: { start, end },
    };
    const [{ command, file: path, title, message, ...rest } = {}] = parse(
      github({ ...sample, findings: [found] }, context),
    );
    expect({ command, path, title, message }).toEqual({
      command: 'error',
      path: 'bench/a.toml',
      title: 'toml/syntax',
      message: expect.stringMatching(/^bench\/a\.toml:\d:\d: no \(toml\/syntax\)$/),
    });
    expect(rest).toEqual(place);
  });

  it('gives back the texts of any findings', () => {
    fc.assert(
      fc.property(findings, (found) => {
        const commands = parse(github({ ...sample, findings: found }, context));
        expect(
          commands.map(({ command, file, title, message }) => [command, file, title, message]),
        ).toEqual(
          found.map(({ severity, file, span, rule, message, help }) => {
            const path = repositoryPath(file.path, context);
            const { line, column } = file.lines.position(span.start);
            const text = `${path}:${line}:${column}: ${message} (${rule})`;
            return [
              severity,
              escaped(path, '\r\n'),
              rule,
              escaped(help === undefined ? text : `${text}\n${help}`, '\r\n'),
            ];
          }),
        );
      }),
    );
  });
});

/** Reads the commands in a log as GitHub's runner does. */
function parse(log: string): Record<string, string | undefined>[] {
  return (
    log
      .split(/\r\n|\r|\n/)
      // The counts, and the end of the last line.
      .slice(0, -2)
      .map((line) => {
        const [, command, properties, data] = /^::(\w+) (.*?)::(.*)$/.exec(line) as RegExpExecArray;
        const pairs = (properties as string).split(',').map((pair): [string, string] => {
          const at = pair.indexOf('=');
          return [pair.slice(0, at), decode(pair.slice(at + 1), /%(25|0D|0A|3A|2C)/g)];
        });
        const message = decode(data as string, /%(25|0D|0A)/g);
        return { command, ...Object.fromEntries(pairs), message };
      })
  );
}

function decode(text: string, codes: RegExp): string {
  return text.replace(codes, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
