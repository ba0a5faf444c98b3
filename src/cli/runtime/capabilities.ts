import type { Io, Output } from './io.js';

/**
 * Whether the reader's characters are ASCII alone: a dumb terminal, or a locale
 * that is set and is not UTF-8. The first variable that is set decides, as
 * POSIX has it.
 */
export function isAscii(env: Io['env']): boolean {
  if (env['TERM'] === 'dumb') return true;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}

const TERMINALS: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty']);
/** Variables that terminals with links set. */
const VARIABLES = ['KITTY_WINDOW_ID', 'KONSOLE_VERSION', 'WT_SESSION'] as const;
const VTE_WITH_LINKS = 5_000;

/** Whether an output is a terminal that is known to take links (OSC 8). */
export function takesLinks(output: Output, env: Io['env']): boolean {
  if (output.isTTY !== true || env['TERM'] === 'dumb') return false;
  return (
    TERMINALS.has(env['TERM_PROGRAM'] ?? '') ||
    VARIABLES.some((name) => env[name] !== undefined) ||
    /^(?:xterm-kitty|alacritty|foot)/.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= VTE_WITH_LINKS
  );
}
