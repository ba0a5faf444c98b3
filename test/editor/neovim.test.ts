import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { homeWith, runEditor, setUps, surroundings, versionOf } from './editors.js';

/* Neovim itself, set up as docs/editors.md says. */

const version = versionOf('nvim');

/** Both set-ups, by what they call and since when Neovim has that. */
const APIS = [
  { api: 'vim.lsp.config', since: 11 },
  { api: 'vim.lsp.start', since: 10 },
];

test.each(APIS)('docs/editors.md has one set-up with $api', ({ api }) => {
  expect(setUps('lua').filter((text) => text.includes(`${api}(`))).toHaveLength(1);
});

for (const { api, since } of APIS) {
  const isThere = version !== undefined && (version.major > 0 || version.minor >= since);
  test.skipIf(!isThere)(`Neovim with ${api}`, async () => {
    const setUp = setUps('lua').find((text) => text.includes(`${api}(`)) as string;
    const home = homeWith({ '.config/nvim/init.lua': setUp });
    const script = resolve('test/editor/neovim.lua');
    await runEditor(
      'nvim',
      ['--headless', '-c', `luafile ${script}`, 'wind.objective.toml'],
      surroundings(home),
    );
    expect(JSON.parse(readFileSync(join(home, 'bench/seen.json'), 'utf8'))).toEqual({
      clients: [['perturb', 'bench']],
      diagnostic: ['expression/unquoted-string', 2, 5, 39, 43],
      hover: "```trace\n(name = 'GUST') AS gust\n```",
      completion: ['AGGREGATE', 'AND', 'FILTER', 'WITHIN'],
      text: `check = """
MATCH
  (name = 'GUST') AS blow,
  (name = 'BEAT') AS beat
WHEN blow -> beat
"""`,
    });
  });
}
