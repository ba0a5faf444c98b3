import type { Dice } from '../dice.js';

/** Plain data of a TOML file: an array of tables is written in any of its ways. */
export interface Table {
  readonly [key: string]: Value;
}
export type Value = string | boolean | bigint | Written | readonly Value[] | Table;

/** A value with several writings. */
export interface Written {
  readonly writings: readonly string[];
}

/** Writes a table as TOML, with comments, white space, order, kinds of tables and quotes by chance. */
export function rewrite(dice: Dice, table: Table): string {
  const bom = dice.pick(['', '\ufeff']);
  const end = dice.pick(['\n', '\r\n']);
  return bom + body(dice, [], table).join('\n').replaceAll('\n', end) + end;
}

const COMMENTS = ['', '', '# wind', '  # [x]', '# "'];

function body(dice: Dice, path: readonly string[], table: Table): string[] {
  const plain: string[] = [];
  const headed: string[] = [];
  for (const [key, value] of shuffled(dice, Object.entries(table))) {
    if (isTables(value) && dice.upTo(1) === 0) {
      for (const item of value) {
        headed.push(`${space(dice)}[[${[...path, key].join(' . ')}]]${dice.pick(COMMENTS)}`);
        headed.push(...body(dice, [...path, key], item));
      }
    } else if (isTable(value) && dice.upTo(2) > 0) {
      headed.push(`[ ${[...path, key].join('.')} ]`, ...body(dice, [...path, key], value));
    } else {
      plain.push(...dice.pick([[], ['', '# a comment'], ['']]));
      plain.push(`${space(dice)}${written(dice, key, value)} ${dice.pick(COMMENTS)}`);
    }
  }
  return [...plain, ...headed];
}

function written(dice: Dice, key: string, value: Value): string {
  if (isTable(value) && Object.keys(value).length > 0 && dice.upTo(1) === 0) {
    return shuffled(dice, Object.entries(value))
      .map(([inner, one]) => `${key}.${inner}${space(dice)}= ${inline(dice, one)}`)
      .join('\n');
  }
  return `${dice.pick([key, `"${key}"`, `'${key}'`])}${space(dice)}=${space(dice)}${inline(dice, value)}`;
}

function inline(dice: Dice, value: Value): string {
  if (typeof value === 'string') return quoted(dice, value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return integer(dice, value);
  if (isList(value)) {
    const items = value.map((item) => inline(dice, item));
    return dice.pick([`[${items.join(',')}]`, `[ # list\n  ${items.join(' ,\n')}\n]`]);
  }
  if (!isTable(value)) return dice.pick(value.writings);
  const members = shuffled(dice, Object.entries(value));
  return `{ ${members.map(([key, one]) => `${key} = ${inline(dice, one)}`).join(', ')} }`;
}

function integer(dice: Dice, value: bigint): string {
  if (value < 0n) return String(value);
  return dice.pick([
    String(value),
    `+${value}`,
    `0x${value.toString(16)}`,
    `0b${value.toString(2)}`,
  ]);
}

function quoted(dice: Dice, text: string): string {
  const basic = JSON.stringify(text);
  const choices = [basic, `""${basic.replaceAll('\\n', '\n')}""`];
  choices.push(`"""\\\n   ${basic.slice(1)}""`, basic.replace(/(?<!\\)[a-z]/, unicodeEscape));
  if (!/['\n]/.test(text)) choices.push(`'${text}'`);
  if (!text.includes("'")) choices.push(`'''\n${text}'''`);
  return dice.pick(choices);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function space(dice: Dice): string {
  return dice.pick(['', ' ', '\t', '   ']);
}

export function shuffled<T>(dice: Dice, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, rank: dice.upTo(1_000_000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

function isTable(value: Value): value is Table {
  return typeof value === 'object' && !isList(value) && !('writings' in value);
}

function isTables(value: Value): value is readonly Table[] {
  return isList(value) && value.length > 0 && value.every(isTable);
}
