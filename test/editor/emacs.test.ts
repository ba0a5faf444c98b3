import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { homeWith, runEditor, setUps, surroundings, versionOf } from './editors.js';

/* Emacs itself with Eglot, set up as docs/editors.md says. */

const version = versionOf('emacs');

test.skipIf(version === undefined || version.major < 29)('Emacs', async () => {
  const found = setUps('elisp');
  expect(found).toHaveLength(1);
  const home = homeWith({ '.emacs.d/init.el': found[0] as string });
  const scripts = [join(home, '.emacs.d/init.el'), resolve('test/editor/emacs.el')];
  await runEditor(
    'emacs',
    ['--batch', ...scripts.flatMap((path) => ['-l', path])],
    surroundings(home),
  );
  expect(JSON.parse(readFileSync(join(home, 'bench/seen.json'), 'utf8'))).toEqual({
    mode: 'conf-toml-mode',
    diagnostics: [[expect.stringMatching(/^perturb \[expression\/unquoted-string\]: /), 'BEAT']],
    hover: "```trace\n(name = 'GUST') AS gust\n```",
    completion: ['AND', 'WITHIN', 'FILTER', 'AGGREGATE'],
    text: `check = """
MATCH
  (name = 'GUST') AS blow,
  (name = 'BEAT') AS beat
WHEN blow -> beat
"""`,
  });
});
