import { visible } from './text.js';

/**
 * Escapes untrusted text to render literally on one line of Markdown, without links, emphasis,
 * lists, HTML or entities.
 */
export function escapeMarkdown(text: string): string {
  // A backslash makes ASCII punctuation literal (CommonMark); "@", "://" and "www." make links in GFM.
  return visible(text.replace(/\s+/g, ' ').trim())
    .replace(/[\\`*_[\]<>&#|~!@]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/^(\d*)([-+=.)])/, '$1\\$2');
}

/** Formats untrusted text as inline code in Markdown. The text may contain backticks. */
export function inlineCode(text: string): string {
  const visibleText = visible(text);
  const longest = Math.max(0, ...(visibleText.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  // Markdown removes one space at each end of a code span, and a backtick must not touch the fence.
  const pad = /^`|`$|^ .* $/.test(visibleText) || visibleText === '' ? ' ' : '';
  return fence + pad + visibleText + pad + fence;
}

/** Formats inline code for a table cell. Escapes vertical bars, which would end the cell. */
export function cellCode(text: string): string {
  return inlineCode(text).replaceAll('|', '\\|');
}

/** Formats untrusted lines as a fenced code block in Markdown. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Formats a Markdown table. The cells contain Markdown. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [heads, heads.map(() => '---'), ...rows].map(line).join('');
}
