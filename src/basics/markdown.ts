import { visible } from './text.js';

/**
 * Escapes foreign text as one line of Markdown, which shows it literally: no link, emphasis, list,
 * HTML or entity.
 */
export function prose(text: string): string {
  // A backslash makes ASCII punctuation literal (CommonMark); "@", "://" and "www." make links in GFM.
  return visible(text.replace(/\s+/g, ' ').trim())
    .replace(/[\\`*_[\]<>&#|~!@]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/^(\d*)([-+=.)])/, '$1\\$2');
}

/** Formats foreign text as inline code in Markdown, whatever backticks it contains. */
export function code(text: string): string {
  const visibleText = visible(text);
  const longest = Math.max(0, ...(visibleText.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  // A code span loses one space at both ends, and a backtick must not touch its fence.
  const pad = /^`|`$|^ .* $/.test(visibleText) || visibleText === '' ? ' ' : '';
  return fence + pad + visibleText + pad + fence;
}

/** Formats inline code for a table cell, where a vertical bar would otherwise end the cell. */
export function cellCode(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

/** Formats foreign lines as a fenced code block in Markdown. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Formats a Markdown table. The cells are Markdown. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [heads, heads.map(() => '---'), ...rows].map(line).join('');
}
