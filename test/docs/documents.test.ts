import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, documents, proseOf } from './documents.js';
import { kinds, wrongUsage } from './kinds.js';
import { rerun } from './session.js';

/*
 * Nothing that the documents show escapes a test. A document is its own golden
 * file: `npm run golden` writes what its commands print anew.
 */

test.each(documents)(
  '$path shows what its commands print',
  { timeout: 120_000 },
  async ({ path, text }) => {
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
  const spans = [...proseOf(text).matchAll(/`perturb ([^`]+)`/g)].map(
    ([, words]) => words as string,
  );
  const wrong = await Promise.all(
    spans.map(async (words) => {
      // A group, or a flag, by itself.
      if (/^(?:objective|mutators|expression|schema|rules|-\S+)$/.test(words)) return '';
      const said = await wrongUsage(words.split(/\s+/).filter((word) => !/^[[<|]/.test(word)));
      return said.includes('missing required argument') || said.includes('required option')
        ? ''
        : said;
    }),
  );
  expect(wrong.filter((said) => said !== '')).toEqual([]);
});
