import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatObjective } from '../../src/objective/fmt/index.js';
import { canonicalJson, lintText, loadObjective } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';

const CHECK = `check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"`;
const END = `
[stopping_conditions]
attempts = 10
`;

const load = (text: string) => loadObjective(decodeSource('x.toml', Buffer.from(text)));

function metadataIn(text: string) {
  const { objective } = load(text);
  return {
    objective: objective?.metadata,
    measurements: objective?.measurements.map(({ metadata }) => metadata),
  };
}

/** The texts that the findings of the rule underline. */
const misplaced = (text: string) =>
  lintText('x.toml', text)
    .filter(({ rule }) => rule === 'objective/invalid-metadata')
    .map(({ span, file }) => file.text.slice(span.start, span.end));

const FILE = `# Wind tests.
# @suite = "nightly"
# @requirement = "REQ-1"
name = "Drone in # @wind = 'x'"

# @requirement = "REQ-7"
# Agreed with the pilots.
#@requirement   =\t'REQ-8' # also
[[measurement]]
name = "one"
${CHECK}

[[measurement]]
name = "two"
${CHECK.replace('CRASH', 'FIRE # @x')}
${END}`;

const READ = {
  objective: { suite: ['nightly'], requirement: ['REQ-1'] },
  measurements: [
    { suite: ['nightly'], requirement: ['REQ-7', 'REQ-8'] },
    { suite: ['nightly'], requirement: ['REQ-1'] },
  ],
};

test.each([
  ['LF', FILE],
  ['CRLF', FILE.replaceAll('\n', '\r\n')],
  ['a BOM', `\ufeff${FILE}`],
  ['indentation', FILE.replaceAll(/^(?=#|\[\[)/gm, '\t  ')],
])('comments above a measurement and above the name are metadata: %s', (_, text) => {
  expect(load(text).findings).toEqual([]);
  expect(metadataIn(text)).toEqual(READ);
});

test('a file without metadata has none in its model', () => {
  const { objective } = load(`name = "x"\n[[measurement]]\nname = "one"\n${CHECK}\n${END}`);
  expect(objective).not.toHaveProperty('metadata');
  expect(objective?.measurements[0]).not.toHaveProperty('metadata');
});

test.each([
  ['words without =', '# @todo later\n#@ x = "y"\n# @7 = "y"\n# see @x = "y"'],
  ['a string of the file', `name2 = "# @x = 'y'"`.replace('name2', 'name')],
])('not metadata: %s', (_, lines) => {
  const text = lines.startsWith('name') ? lines : `${lines}\nname = "x"`;
  const file = `${text}\n[[measurement]]\nname = "one"\n${CHECK}\n${END}`;
  expect(load(file).findings).toEqual([]);
  expect(metadataIn(file)).toEqual({ objective: undefined, measurements: [undefined] });
});

test.each([
  ['an empty line between', '# @x = "y"\n\n[[measurement]]', ['# @x = "y"']],
  ['beside the header', '[[measurement]] # @x = "y"', ['# @x = "y"']],
  ['below the header', '[[measurement]]\r\n# @x = "y"\r', ['# @x = "y"']],
  ['no string', '# @x = 5\n# @y = \n[[measurement]]', ['# @x = 5', '# @y = ']],
  ['more than a string', '# @x = "y" "z"\n[[measurement]]', ['# @x = "y" "z"']],
])('a finding: %s', (_, header, spans) => {
  const text = `name = "x"\n\n${header}\nname = "one"\n${CHECK}\n${END}`;
  expect(misplaced(text)).toEqual(spans);
  expect(misplaced(`\ufeff${text}`)).toEqual(spans);
  expect(metadataIn(text)).toEqual({ objective: undefined, measurements: [undefined] });
});

test('an element in braces has no line for metadata above it', () => {
  const text = `name = "x"\n# @x = "y"\nmeasurement = [{ name = "one", ${CHECK} }]\n${END}`;
  expect(misplaced(text)).toEqual(['# @x = "y"']);
});

test('a finding has the metadata of its measurement, or of the objective', () => {
  const text = FILE.replace('attempts = 10', 'attempts = 0').replace("'CRASH'", 'CRASH');
  expect(lintText('x.toml', text).map(({ rule, metadata }) => [rule, metadata])).toEqual([
    ['expression/unquoted-string', READ.measurements[0]],
    ['objective/invalid-value', READ.objective],
  ]);
});

test('metadata changes nothing that an objective means', () => {
  const plain = FILE.replaceAll(/^#.*\n/gm, '');
  const canonical = (text: string) => {
    const { objective } = load(text);
    return objective && canonicalJson(objective);
  };
  expect(canonical(FILE)).toBe(canonical(plain));
});

test('formatting keeps metadata', () => {
  const messy = FILE.replaceAll(' = ', '   =  ').replaceAll('\n\n', '\n\n\n');
  const { text } = formatObjective(decodeSource('x.toml', Buffer.from(messy))) as { text: string };
  expect(metadataIn(text)).toEqual(READ);
});

test('any word and any TOML string', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z][\w-]*$/), fc.string(), (word, value) => {
      const line = `# @${word} = ${JSON.stringify(value).replaceAll('\u007f', '\\u007f')}`;
      const file = `name = "x"\n${line}\n[[measurement]]\nname = "one"\n${CHECK}\n${END}`;
      expect(Object.entries(metadataIn(file).measurements?.[0] ?? {})).toEqual([[word, [value]]]);
    }),
  );
});
