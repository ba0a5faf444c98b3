import { expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/commands.js';
import { main } from '../../src/cli/main.js';

const ALL = [
  [],
  ...Object.keys(groups).map((group) => [group]),
  ...commands.map((one) => one.words),
];

/** What a help prints on a terminal of this width; undefined: elsewhere. */
async function helpOf(words: readonly string[], columns?: number): Promise<string> {
  let said = '';
  const write = (text: string) => {
    said += text;
  };
  const output = { write, isTTY: columns !== undefined };
  const stdout = columns === undefined ? output : { ...output, columns };
  const stdin = { async *[Symbol.asyncIterator]() {} };
  const io = { stdin, stdout, stderr: output, env: {}, cwd: '.' };
  expect(await main([...words, '--help'], io)).toBe(0);
  return said;
}

/** A text as its words alone. */
const wordsOf = (text: string) => text.replaceAll(' \\\n', '\n').split(/\s+/).join(' ');

test.each(ALL.map((words) => [['perturb', ...words].join(' '), words] as const))(
  'the help of %s breaks between words from 60 columns on',
  async (_, words) => {
    const whole = wordsOf(await helpOf(words, 1_000));
    for (const columns of [60, 72, 100]) {
      const text = await helpOf(words, columns);
      expect(text.split('\n').filter((line) => line.length > columns)).toEqual([]);
      expect(wordsOf(text)).toBe(whole);
    }
  },
);

test.each(['init', 'lsp', 'doctor'])('%s has one command, and its help is that', async (group) => {
  const [only, ...others] = commands.filter(({ words }) => words[0] === group);
  expect(others).toEqual([]);
  expect(await helpOf([group])).toBe(await helpOf(only?.words ?? []));
});
