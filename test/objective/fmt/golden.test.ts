import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { formatObjective } from '../../../src/objective/fmt/index.js';
import { decodeSource } from '../../../src/source/index.js';
import { expressionsIn } from '../../expression/fixture.js';
import { isLong } from '../../long.js';

const FIXTURES = 'fixtures/objective';
const OBJECTIVE = join(FIXTURES, 'fmt/layouts.objective.toml');

function format(text: string): string {
  return formatObjective(decodeSource('x.objective.toml', Buffer.from(text)))?.text ?? '';
}

describe('formatting', () => {
  it('lays out every kind of layout', async () => {
    const formatted = format(readFileSync(OBJECTIVE, 'utf8'));
    await expect(formatted).toMatchFileSnapshot('../../../fixtures/objective/fmt/layouts.out');
  });

  it('says which expressions it leaves alone', () => {
    const decoded = decodeSource('x', readFileSync(OBJECTIVE));
    const { leftAlone = [] } = formatObjective(decoded) ?? {};
    const text = decoded.source.text;
    expect(leftAlone.map(({ span, reason }) => [reason, text.slice(span.start, span.end)])).toEqual(
      [
        ['syntax', '"MATCH (name = ) AS a"'],
        ['ignore', expect.stringContaining('name = SECOND')],
      ],
    );
  });

  it('lays out every expression of the fixtures', async () => {
    const folder = 'fixtures/expression/ok';
    const objectives = readdirSync(folder)
      .filter((name) => name.endsWith('.trace'))
      .flatMap((name) =>
        expressionsIn(`ok/${name.replace(/\.trace$/, '')}`).map((text, at) => ({
          name: at === 0 ? name : `${name} ${at}`,
          text: text.trim(),
        })),
      )
      .map(({ name, text }) => {
        const quotes = text.includes("''") ? '"""' : "'''";
        const content = quotes === '"""' ? text.replaceAll('\\', '\\\\') : text;
        return `[[measurement]]\nname = "${name}"\ncheck = ${quotes}\n${content}\n${quotes}\n`;
      });
    expect(objectives.length).toBeGreaterThan(10);
    const formatted = format(objectives.join('\n'));
    expect(format(formatted)).toBe(formatted);
    await expect(formatted).toMatchFileSnapshot('../../../fixtures/objective/fmt/expressions.out');
  });

  it('leaves a file alone that is not TOML', () => {
    expect(formatObjective(decodeSource('x', Buffer.from('name = ')))).toBeUndefined();
  });

  it('keeps a file as it is when nothing is to be changed', () => {
    const text = 'name = "x"\r\n[[measurement]]\nname = "a"\ncheck = "MATCH (x = 1) AS a"';
    expect(formatObjective(decodeSource('x', Buffer.from(text)))).toEqual({
      text,
      edits: [],
      leftAlone: [],
    });
  });
});

describe('beside a formatter of TOML', () => {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-fmt-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const files = ['examples/objectives', join(FIXTURES, 'fmt')].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.toml'))
      .map((name) => join(folder, name)),
  );

  function formatWith(
    command: readonly string[],
    texts: readonly string[],
    name: string,
  ): string[] {
    const folder = join(directory, name);
    mkdirSync(folder);
    const paths = texts.map((text, index) => {
      const path = join(folder, `${index}.toml`);
      writeFileSync(path, text);
      return path;
    });
    const [program = '', ...args] = command;
    execFileSync(program, [...args, ...paths], { stdio: 'ignore' });
    return paths.map((path) => readFileSync(path, 'utf8'));
  }

  function compare(name: string, command: readonly string[]): void {
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    expect(texts.length).toBeGreaterThan(3);
    // Both in one start, which takes longer than the files do.
    const all = formatWith(command, [...texts.map(format), ...texts], name);
    const before = all.slice(0, texts.length);
    const after = all.slice(texts.length).map(format);
    expect(before).toEqual(after);
  }

  it('gives the same bytes before taplo and after it', () => {
    compare('taplo', ['node_modules/.bin/taplo', 'format']);
  }, 300_000);

  // Installed here: its packages for other systems are not in every registry, which a lock file needs.
  // To install it takes most of the time, so the long form does.
  it.runIf(isLong)(
    'gives the same bytes before tombi and after it',
    () => {
      const install = [
        'install',
        '--prefix',
        directory,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
      ];
      execFileSync('npm', [...install, 'tombi@0.11.7'], { stdio: 'ignore' });
      compare('tombi', [join(directory, 'node_modules/.bin/tombi'), 'format', '--offline']);
    },
    300_000,
  );
});
