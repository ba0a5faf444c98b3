import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyFixes, fixBytes, hasFix } from '../../src/diagnostics/index.js';
import { check, parse, print } from '../../src/expression/index.js';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import { parseToml } from '../../src/toml/index.js';
import { type Dice, roll } from '../dice.js';
import { isLong } from '../long.js';
import { RIGHT } from './mistakes/objective.js';
import { catalog, ROWS } from './mistakes/table.js';

/** A measurement: what is written, and what is meant by it. */
interface Planted {
  readonly written: string;
  readonly meant: string;
  /** A comment of the file behind the string. */
  readonly comment?: string;
}

/** What a condition is after its safe fixes, and its expression if that can be read. */
function mended(written: string) {
  const text = around(written);
  const fixed = applyFixes(text, check(text, { role: 'check' }).findings);
  return { written, meant: fixed.slice(START.length, -END.length), ...parse(fixed) };
}

const START = 'MATCH (';
const END = ') AS a';
const around = (condition: string) => START + condition + END;

/** The mistakes of the table that are a whole condition. */
const CONDITIONS = ROWS.filter(({ anchor }) => anchor === "name = 'CRASH'")
  .map(({ written }) => mended(written.replaceAll(/[«»]/g, '')))
  .filter(({ expression }) => expression !== undefined);

/** Conditions that stay as they are, whatever is found in them. */
const KEPT = [
  'severity > 3',
  'requested = granted',
  'order_id = source.order_id',
  '`mode` = `steady`',
  ...CONDITIONS.filter(({ written, meant }) => written === meant).map(({ meant }) => meant),
];

const FIXABLE = CONDITIONS.filter(({ written, meant }) => written !== meant);

const COMMENTS = [
  '# a note',
  '# perturb: ignore expression/unquoted-string',
  '# perturb: ignore expression/always-false, expression/type-mismatch',
  '# perturb: ignore catalog/unknown-mutator',
];

function plant(dice: Dice): Planted {
  const kept = dice.pick(KEPT);
  const { written, meant } = dice.pick([...FIXABLE, { written: kept, meant: kept }]);
  const other = dice.pick(KEPT);
  const full = (condition: string) => `${around(condition)}, (${other}) AS b WHEN a -> b`;
  // What silences findings of an expression that cannot be read yet may turn out to be unused.
  const broken = parse(full(written)).expression === undefined;
  const comments = COMMENTS.filter((one) => !broken || !one.includes('expression/'));
  const comment = dice.upTo(2) === 0 ? dice.pick(comments) : undefined;
  return { written: full(written), meant: full(meant), ...(comment && { comment }) };
}

/** A text as a TOML string of any kind that can hold it, on one line where a comment silences that. */
function quoted(dice: Dice, text: string, lines: boolean): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const breaks = lines ? [' ', ' \\\n    ', '\n  '] : [' '];
  const folded = escaped
    .replace(/ (?=WHEN|\()/g, () => dice.pick(breaks))
    .replace(/(?<! )&&/g, () => dice.pick(lines ? ['&&', '\\\n  &&', '&&\\\n'] : ['&&']));
  const kinds = [`"${escaped}"`, `"""${folded}"""`, `'''${text}'''`];
  return dice.pick(text.includes("'") ? kinds : [...kinds, `'${text}'`]);
}

function fileOf(dice: Dice, all: readonly Planted[], time: string): string {
  const measurements = all.map(
    ({ written, comment = '' }, index) =>
      `[[measurement]]\nname = "m${index}"\ncheck = ${quoted(dice, written, comment === '')} ${comment}\n`,
  );
  return `name = "x"\n${measurements.join('\n')}\n[stopping_conditions]\ntime = "${time}"\n`;
}

/** Once they are fixed, two checks may turn out to be the same. */
const found = (bytes: Uint8Array) =>
  lint(decodeSource('x.toml', bytes)).filter(
    ({ rule }) => rule !== 'objective/contradicting-measurement',
  );
const shown = (findings: ReturnType<typeof found>) =>
  findings.map(({ rule, message }) => `${rule} ${message}`).sort();

/** The expressions of a file, as they are printed; what cannot be read stays as it is. */
function expressionsIn(bytes: Uint8Array): string[] {
  const { document } = parseToml(decodeSource('x.toml', bytes).source);
  const measurements = document?.root['measurement'] as unknown as { readonly check: string }[];
  return measurements.map(({ check }) => canonical(check));
}

function canonical(text: string): string {
  const { expression } = parse(text);
  return expression === undefined ? text : print(expression);
}

const RUNS = isLong ? 2_000 : 40;

test('fixes leave what was meant, the other findings, and nothing to fix', () => {
  let fixable = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const dice = roll(seed);
      const all = Array.from({ length: 1 + dice.upTo(4) }, () => plant(dice));
      const [written, meant] = dice.pick([
        ['5m', '5min'],
        ['1h 30 m', '1h 30min'],
        ['2 hours', '2h'],
        ['2h', '2h'],
      ]);
      const before = Buffer.from(fileOf(dice, all, written as string));
      const findings = found(before);
      fixable += findings.filter((finding) => hasFix(finding)).length;
      const { bytes, findings: left } = fixBytes('x.toml', before, found);
      expect(shown([...left])).toEqual(shown(findings.filter((finding) => !hasFix(finding))));
      expect(left.filter((finding) => hasFix(finding))).toEqual([]);
      expect(expressionsIn(bytes)).toEqual(all.map((one) => canonical(one.meant)));
      expect(Buffer.from(bytes).toString()).toContain(`time = "${meant}"`);
      expect(fixBytes('x.toml', bytes, found).changed).toBe(false);
    }),
    { numRuns: RUNS },
  );
  expect(fixable).toBeGreaterThan(RUNS / 2);
}, 300_000);

test('a BOM before a text stays, and does not shift what is fixed', () => {
  const text = `name = "x"
[[measurement]]
name = "y"
check = "MATCH (name == 'CRASH') AS crash"
[stopping_conditions]
attempts = 1
`;
  const fixed = text.replace('==', '=');
  expect(applyFixes(text, lintText('x.toml', text))).toBe(fixed);
  const marked = `\ufeff${text}`;
  expect(applyFixes(marked, lintText('x.toml', marked))).toBe(`\ufeff${fixed}`);
});

test('a file whose quotes an editor made curly is as it was after its safe fixes', () => {
  const straight = RIGHT.replaceAll('"""', '"').replace(/(?<=check = ")[^"]*/, (text) =>
    text.replaceAll('\n', ' '),
  );
  const pasted = straight
    .replace(/(^|[\s(=[])(["'])/gm, (_, before, mark) => before + (mark === '"' ? '“' : '‘'))
    .replaceAll('"', '”')
    .replaceAll("'", '’');
  const find = (some: Uint8Array) => lint(decodeSource('x.toml', some), { catalog });
  const { bytes } = fixBytes('x.toml', Buffer.from(pasted), find);
  expect(Buffer.from(bytes).toString()).toBe(straight);
});
