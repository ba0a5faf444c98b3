import { visible } from './text.js';

/** Foreign text as Markdown that shows it literally, on one line: no link, emphasis, list, HTML or entity. */
export function prose(text: string): string {
  // A backslash makes ASCII punctuation literal (CommonMark); "@", "://" and "www." make links in GFM.
  return visible(text.replace(/\s+/g, ' ').trim())
    .replace(/[\\`*_[\]<>&#|~!@]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/^(\d*)([-+=.)])/, '$1\\$2');
}

/** Foreign text as inline code in Markdown, whatever backticks it holds. */
export function code(text: string): string {
  const shown = visible(text);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  // A code span loses one space at both its ends, and must not touch its fence with a backtick.
  const pad = /^`|`$|^ .* $/.test(shown) || shown === '' ? ' ' : '';
  return fence + pad + shown + pad + fence;
}

/** Inline code in a cell of a table, which a vertical bar would end even there. */
export function inCell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

/** Foreign lines as a fenced block of code in Markdown. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A table in Markdown, of cells that are Markdown themselves. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [heads, heads.map(() => '---'), ...rows].map(line).join('');
}
