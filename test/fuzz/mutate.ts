import type { Dice } from '../dice.js';
import { BRACKETS, CHARACTERS, NUMBERS, WORDS } from './pieces.js';

/** Where the changes to an input come from. */
export interface Material {
  readonly corpus: readonly string[];
  readonly tokens: readonly string[];
}

/** What an input may grow to. */
const LONGEST = 4_000;
const MOST_CHANGES = 5;

type Change = (text: string, dice: Dice, material: Material) => string;

/** An input of the corpus with a few changes. */
export function mutate(dice: Dice, material: Material): string {
  let text = dice.pick(material.corpus);
  for (let left = 1 + dice.upTo(MOST_CHANGES - 1); left > 0; left -= 1) {
    const changed = dice.pick(CHANGES)(text, dice, material);
    if (changed.length <= LONGEST) text = changed;
  }
  return text;
}

const CHANGES: readonly Change[] = [
  /** Leaves something out. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    return text.slice(0, start) + text.slice(end);
  },
  /** Says something twice. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    return text.slice(0, end) + text.slice(start);
  },
  /** Says something often. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    const times = dice.pick([3, 10, 60, 300]);
    if ((end - start) * times > LONGEST) return text;
    return text.slice(0, start) + text.slice(start, end).repeat(times) + text.slice(end);
  },
  /** Moves something. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    const rest = text.slice(0, start) + text.slice(end);
    return insert(rest, place(rest, dice), text.slice(start, end));
  },
  /** Changes the places of two stretches. */
  (text, dice) => {
    const [a, b, c, d] = [...stretch(text, dice), ...stretch(text, dice)].sort((x, y) => x - y);
    return (
      text.slice(0, a) + text.slice(c, d) + text.slice(b, c) + text.slice(a, b) + text.slice(d)
    );
  },
  /** Goes on as another input does. */
  (text, dice, { corpus }) => {
    const other = dice.pick(corpus);
    return text.slice(0, place(text, dice)) + other.slice(place(other, dice));
  },
  /** Takes something over from another input. */
  (text, dice, { corpus }) => {
    const other = dice.pick(corpus);
    const [from, to] = stretch(other, dice);
    const [start, end] = dice.upTo(1) === 0 ? stretch(text, dice) : twice(place(text, dice));
    return text.slice(0, start) + other.slice(from, to) + text.slice(end);
  },
  token,
  token,
  token,
  /** Puts another piece of the language where one is. */
  (text, dice, material) => {
    const [start, end] = stretch(text, dice);
    return text.slice(0, start) + piece(dice, material) + text.slice(end);
  },
  /** Writes another number where one is. */
  (text, dice) => replaceOne(text, dice, /\d[\d._]*/g, dice.pick(NUMBERS)),
  /** Writes another word where one is. */
  (text, dice, { tokens }) => replaceOne(text, dice, /[\p{L}_]+/gu, dice.pick(tokens)),
  /** Puts brackets around something, perhaps many. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    const [open, close] = dice.pick(BRACKETS);
    const depth = dice.pick([1, 1, 1, 2, 30, 250]);
    return `${text.slice(0, start)}${open.repeat(depth)}${text.slice(start, end)}${close.repeat(depth)}${text.slice(end)}`;
  },
  /** Writes line ends differently. */
  (text, dice) => text.replaceAll('\n', dice.pick(['\r\n', '\r', ' ', '\n\n', ''])),
  /** Writes a stretch in the other case. */
  (text, dice) => {
    const [start, end] = stretch(text, dice);
    const part = text.slice(start, end);
    const other = part === part.toLowerCase() ? part.toUpperCase() : part.toLowerCase();
    return text.slice(0, start) + other + text.slice(end);
  },
  /** Takes only a part. */
  (text, dice) => text.slice(...stretch(text, dice)),
];

/** Adds a piece of the language. */
function token(text: string, dice: Dice, material: Material): string {
  const added = dice.upTo(3) === 0 ? soup(dice, material) : piece(dice, material);
  return insert(text, place(text, dice), added);
}

function soup(dice: Dice, material: Material): string {
  return Array.from({ length: 2 + dice.upTo(6) }, () => piece(dice, material)).join(
    dice.pick(['', ' ', ' ', ', ', '\n']),
  );
}

function piece(dice: Dice, { tokens }: Material): string {
  return dice.pick(dice.pick([tokens, tokens, tokens, CHARACTERS, CHARACTERS, NUMBERS, WORDS]));
}

/** A place in a text, half of the time between two words. */
function place(text: string, dice: Dice): number {
  const at = dice.upTo(text.length);
  if (dice.upTo(1) === 0) return at;
  const edge = text.slice(at).search(/\b/);
  return edge === -1 ? text.length : at + edge;
}

/** A stretch of a text: mostly a short one. */
function stretch(text: string, dice: Dice): [number, number] {
  const a = place(text, dice);
  if (dice.upTo(3) === 0) {
    const b = place(text, dice);
    return [Math.min(a, b), Math.max(a, b)];
  }
  return [a, Math.min(text.length, a + 1 + dice.upTo(dice.pick([0, 5, 20])))];
}

function twice(at: number): [number, number] {
  return [at, at];
}

function insert(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function replaceOne(text: string, dice: Dice, pattern: RegExp, by: string): string {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return text;
  const { index, 0: old } = dice.pick(found);
  return text.slice(0, index) + by + text.slice(index + old.length);
}
