import type { Plugin } from 'vitest/config';

/*
 * Steps of our own code, counted: a measure of work that is the same on every machine, however busy.
 * `import('X.js?steps')` loads X, and what it imports from `src` and `test`, with a counter in every
 * function and every turn of a loop. Builtins that look through a list count what they pass;
 * work inside a text, and sorting, count nothing: the fuzzer and `npm run bench` measure their time.
 */

const MARK = '?steps';
const COUNT = 'globalThis.__steps++';
const PASS = 'globalThis.__passed';

const counter = globalThis as unknown as {
  __steps: number;
  __passed: <Value>(value: Value) => Value;
};
counter.__passed = (value) => {
  const list = value as { readonly length?: number; readonly size?: number } | undefined;
  counter.__steps += list?.length ?? list?.size ?? 0;
  return value;
};

type Builtin = (this: { readonly length: number }, ...words: unknown[]) => unknown;
type Passed = (length: number, result: unknown, from: unknown) => number;

const all: Passed = (length) => length;
const upToResult: Passed = (length, result, from) =>
  (Number(result) < 0 ? length : Number(result)) - Number(from ?? 0);

/** Builtins, and how many members they pass. */
const BUILTINS: readonly (readonly [prototype: object, name: string, passed: Passed])[] = [
  [Array.prototype, 'includes', all],
  [Array.prototype, 'indexOf', upToResult],
  [Array.prototype, 'lastIndexOf', all],
  [Array.prototype, 'concat', all],
  [Array.prototype, 'splice', all],
  [Array.prototype, 'unshift', all],
  [Array.prototype, 'slice', (_, result) => (result as unknown[]).length],
];

/** Four times the length takes four times the steps when they are linear, sixteen when they are quadratic. */
export const MOST_GROWTH = 6;

/** Returns how many steps the counted code takes for some work. */
export async function stepsOf(work: () => unknown): Promise<number> {
  const originals = BUILTINS.map(([prototype, name, passed]) => {
    const original = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    const call: Builtin = original.value;
    const value: Builtin = function (...words) {
      const length = this.length;
      const result = call.apply(this, words);
      counter.__steps += passed(length, result, words[1]);
      return result;
    };
    Object.defineProperty(prototype, name, { ...original, value });
    return () => Object.defineProperty(prototype, name, original);
  });
  counter.__steps = 0;
  try {
    await work();
    return counter.__steps;
  } finally {
    for (const restore of originals) restore();
  }
}

/** The counted copy of a module; the path is seen from the folder `test`. */
export async function counted<Module>(path: string): Promise<Module> {
  return await import(/* @vite-ignore */ `${path}${MARK}`);
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node | readonly Node[] | null;
  readonly argument?: Node | null;
}

/** Puts the counter into modules that are imported with `?steps`. */
export const countSteps: Plugin = {
  name: 'count-steps',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    const isMarked = source.endsWith(MARK) || importer?.endsWith(MARK);
    if (!isMarked) return null;
    const [path = '', from] = [source.replace(MARK, ''), importer?.replace(MARK, '')];
    const resolved = await this.resolve(path, from, { ...options, skipSelf: true });
    const isOurs = resolved && /\.ts$/.test(resolved.id) && !/node_modules/.test(resolved.id);
    return isOurs && !isMe(resolved.id) ? `${resolved.id}${MARK}` : resolved;
  },
  transform: {
    order: 'post',
    handler(code, id) {
      return id.endsWith(MARK) ? { code: withCounter(code, this.parse(code)), map: null } : null;
    },
  },
};

/** This module stays one, and so does its counter. */
const isMe = (id: string): boolean => id.endsWith('/test/steps.ts');

function withCounter(code: string, program: unknown): string {
  const inserted: { readonly at: number; readonly text: string }[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const child of Object.values(value)) visit(child);
    const { type = '', body, argument } = value as Node;
    if (type === 'SpreadElement' && argument) {
      inserted.push({ at: argument.start, text: `${PASS}(` }, { at: argument.end, text: ')' });
    }
    if (!/Function|^For|While/.test(type) || !body || !('type' in body)) return;
    const { start, end } = body;
    if (body.type === 'BlockStatement') inserted.push({ at: start + 1, text: `${COUNT};` });
    else if (type === 'ArrowFunctionExpression') {
      inserted.push({ at: start, text: `(${COUNT},` }, { at: end, text: ')' });
    } else inserted.push({ at: start, text: `{${COUNT};` }, { at: end, text: '}' });
  };
  visit(program);
  let [text, last] = ['', 0];
  for (const { at, text: piece } of inserted.sort((a, b) => a.at - b.at)) {
    text += code.slice(last, at) + piece;
    last = at;
  }
  return text + code.slice(last);
}
