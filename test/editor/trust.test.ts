import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isInstalled } from '../cli/shells.js';
import {
  homeWith,
  runEditor,
  type Surroundings,
  setUps,
  surroundings,
  versionOf,
} from './editors.js';
import { Terminal } from './terminal.js';

/* How each editor says that a folder is trusted: what docs/editors.md adds to its set-up. */

/** A `perturb` that keeps what the editor sends to it. */
const RECORDING = `#!/bin/sh
tee "$HOME/sent" | "${process.execPath}" "${resolve('dist/bin.cjs')}" "$@"
`;

/** A set-up with what the page has for an editor in its table of trust. */
function trusting(editor: string, setUp: string | undefined): string {
  const row = new RegExp(`^\\| ${editor} \\| \`(.*)\` \\| \`(.*)\` \\|$`, 'm');
  const [, added = '', before = ''] = row.exec(readFileSync('docs/editors.md', 'utf8')) ?? [];
  expect(setUp?.split(before)).toHaveLength(2);
  return setUp?.replace(before, `${before}\n${added}`) ?? '';
}

function recordingHome(path: string, setUp: string): string {
  const home = homeWith({ [path]: setUp, 'bin/perturb': RECORDING });
  chmodSync(join(home, 'bin/perturb'), 0o755);
  return home;
}

/** The initialization options in what an editor sent. */
function optionsSentFrom(home: string): unknown {
  const [, first = ''] = readFileSync(join(home, 'sent'), 'utf8').split('\r\n\r\n');
  const end = first.lastIndexOf('Content-Length');
  const message = end === -1 ? first : first.slice(0, end);
  return JSON.parse(message).params.initializationOptions;
}

function recording(home: string): Surroundings {
  const { cwd, env } = surroundings(home);
  return { cwd, env: { ...env, PATH: `${join(home, 'bin')}${delimiter}${env['PATH']}` } };
}

test.skipIf(versionOf('nvim') === undefined)('Neovim', async () => {
  const setUp = setUps('lua').find((text) => text.includes('vim.lsp.start('));
  const home = recordingHome('.config/nvim/init.lua', trusting('Neovim', setUp));
  const wait = 'lua assert(vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end))';
  const args = ['--headless', '-c', wait, '-c', 'qall!', 'wind.objective.toml'];
  await runEditor('nvim', args, recording(home));
  expect(optionsSentFrom(home)).toEqual({ trusted: true });
});

test.skipIf(versionOf('emacs') === undefined)('Emacs', async () => {
  const home = recordingHome('.emacs.d/init.el', trusting('Emacs', setUps('elisp')[0]));
  const visit = `(progn (setq eglot-sync-connect 60 eglot-connect-timeout 60)
    (find-file "wind.objective.toml") (run-hooks 'post-command-hook))`;
  const args = ['--batch', '-l', join(home, '.emacs.d/init.el'), '--eval', visit];
  await runEditor('emacs', args, recording(home));
  expect(optionsSentFrom(home)).toEqual({ trusted: true });
});

test.skipIf(versionOf('hx') === undefined || !isInstalled('script'))('Helix', async () => {
  const setUp = trusting('Helix', setUps('toml', 'languages.toml')[0]);
  const home = recordingHome('.config/helix/languages.toml', setUp);
  const helix = new Terminal('hx wind.objective.toml', recording(home));
  await helix.shows(/^● +6 +MATCH/m);
  helix.type(':q!\r');
  await helix.ended();
  expect(optionsSentFrom(home)).toEqual({ trusted: true });
});
