import { expect, test } from 'vitest';
import { decodeSource, lint } from '../../src/index.js';
import { ask, openIn, textIn } from './open.js';

const measurement = (index: number, more = ''): string => `[[measurement]]
name = "M${index}"
check = """
MATCH (name = GUST${index}) AS a, (name = 'B') AS b
WHEN a -> b${index}
"""
${more}
`;

/** A statement of each kind; what is around it has findings of its own. */
const STATEMENTS = [
  '[[measurement]]\nname = "typed"',
  '[measurement.stopping_conditions]',
  `check = "MATCH (name = 'TAKEOFF') AS a"`,
  `check = 'MATCH (name = "TAKEOFF") AS a'`,
  `check = """\nMATCH (name = 'TAKEOFF') AS a\nAGGREGATE count() > 1\n"""`,
  'should_pass = true',
  'stopping_conditions = { failing_measurements = 3 }',
  'stopping_conditions.passing_measurements = 10',
  '"should_pass" = false # as they said',
];

const isToml = (text: string): boolean =>
  !lint(decodeSource('a', Buffer.from(text))).some(({ rule }) => rule === 'toml/syntax');

const isOthers = (found: string): boolean => /GUST|^b\d$/.test(found);

test('what is half typed leaves the findings, symbols and completions of all others', async () => {
  const around = [
    `name = "x"\n\n${measurement(1)}${measurement(2, '')}`,
    `${measurement(3)}${measurement(4)}\n[stopping_conditions]\nattempts = 3\n`,
  ] as const;
  const good = around.join('');
  const { client, uri } = await openIn(good);
  const others = (await client.diagnostics(uri)).map(({ range }) => textIn(good, range));
  expect(others.filter(isOthers)).toEqual([
    ...['GUST1', 'b1', 'GUST2', 'b2', 'GUST3', 'b3', 'GUST4', 'b4'],
  ]);
  let version = 1;
  let broken = 0;
  const lost: string[] = [];
  for (const statement of STATEMENTS) {
    version += 1;
    client.change(uri, version, good);
    for (let length = 1; length <= statement.length; length += 1) {
      const typed = statement.slice(0, length);
      const text = `${around[0]}${typed}\n${around[1]}`;
      version += 1;
      client.change(uri, version, text);
      if (isToml(text)) continue;
      broken += 1;
      const shown = await client.diagnostics(uri, version);
      const kept = shown.map(({ range }) => textIn(text, range)).filter(isOthers);
      const symbols = await ask<{ name: string }[]>(client, 'documentSymbol', uri, {});
      const names = symbols.map(({ name }) => name).filter((name) => /^M\d$/.test(name));
      const position = {
        line: text.slice(0, text.lastIndexOf('b4')).split('\n').length - 1,
        character: 10,
      };
      const items = await ask<{ label: string }[]>(client, 'completion', uri, { position });
      const isKept =
        kept.join() === others.filter(isOthers).join() &&
        names.join() === 'M1,M2,M3,M4' &&
        items.some(({ label }) => label === 'a');
      if (!isKept) lost.push(`${typed}| ${kept} ${names}`);
    }
  }
  expect(lost).toEqual([]);
  expect(broken).toBeGreaterThan(149);
  await client.end();
});

test.each([
  '[stopping_conditions',
  '[',
  '[[stopping_conditions]',
  '[stopping conditions]',
  'stopping_conditions]',
  '[[mutator',
])('keys below the header %s are not those of the table above', async (header) => {
  const text = `name = "x"\n\n${measurement(1)}\n${header}\natempts = 3\n\n[mutation_constraints]\nmax = 1\n`;
  const { client, uri } = await openIn(text);
  const found = await client.diagnostics(uri);
  expect(found.map(({ code, range }) => [code, textIn(text, range)])).toEqual([
    ['expression/unquoted-string', 'GUST1'],
    ['expression/unknown-label', 'b1'],
    ['toml/syntax', expect.any(String)],
    ['objective/unknown-key', 'max'],
  ]);
});
