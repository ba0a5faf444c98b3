import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { groups } from '../../src/cli/commands/index.js';
import { blocksOf, documents, proseOf } from './documents.js';
import { kinds, wrongUsage } from './kinds.js';
import { rerun } from './session.js';

/*
 * Nothing that the documents show escapes a test. A document is its own golden
 * file: `npm run golden` writes what its commands print anew.
 */

test.concurrent.for(documents)(
  '$path shows what its commands print',
  { timeout: 120_000 },
  async ({ path, text }, { expect }) => {
    await expect(await rerun(text)).toMatchFileSnapshot(resolve(path));
  },
);

test.each(documents)(
  'every block of $path is of a kind that is held, and good',
  async ({ text }) => {
    const wrong: string[] = [];
    for (const block of blocksOf(text)) {
      const examine = kinds[block.language];
      const said = examine === undefined ? 'a block of no known kind' : await examine(block, text);
      if (said !== '') wrong.push(`line ${block.line}, ${block.language}: ${said}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each(documents)('$path has no code outside those blocks', ({ text }) => {
  expect(proseOf(text).match(/^\s*(?:```|~~~).*$|\n\n(?: {4}|\t)\S.*|<pre/gm) ?? []).toEqual([]);
});

test.each(documents)('the commands within the lines of $path exist', async ({ text }) => {
  const spans = [...proseOf(text).matchAll(/`perturb ([^`]+)`/g)].map(([, words]) =>
    (words as string)
      .replace(/\[[^\]]*\]/g, '')
      .trim()
      .split(/\s+/),
  );
  const said = await Promise.all(spans.map(wrongMention));
  expect(said.filter((one) => one !== '')).toEqual([]);
});

/** What is wrong with a command that is named, but perhaps not with all its arguments. */
async function wrongMention(words: readonly string[]): Promise<string> {
  const [first = ''] = words;
  if (words.length === 1 && (first.startsWith('-') || groups[first] !== undefined)) return '';
  const said = await wrongUsage(words);
  return /missing required argument|required option/.test(said) ? '' : said;
}
