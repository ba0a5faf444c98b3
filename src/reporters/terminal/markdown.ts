import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { wrap } from '../../basics/index.js';
import { renderFacts, type TableStyle } from './table.js';

/**
 * Renders Perturb's own Markdown pages for a terminal. Supports headings, paragraphs with bold text
 * and code, fenced code, and tables with a single row.
 */
export function renderMarkdown(text: string, look: TableStyle, color: boolean): string {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const { width = Number.POSITIVE_INFINITY } = look;
  const inline = (line: string): string =>
    line
      .replace(/\*\*([^*]+)\*\*/g, (_, bold) => chalk.bold(bold))
      .replace(/`([^`]+)`/g, (_, code) => (color ? chalk.cyan(code) : `"${code}"`))
      .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const measure = (part: string) => stringWidth(part.replace(/\*\*|`/g, ''));
  return `${blocksOf(text)
    .map((block) => renderBlock(block))
    .join('\n\n')}\n`;

  function renderBlock(block: string): string {
    const heading = /^#+ (.*)$/.exec(block)?.[1];
    if (heading !== undefined) return chalk.bold.underline(heading);
    const code = /^```\w*\n([\s\S]*?)\n?```$/.exec(block)?.[1];
    if (code !== undefined) {
      return code
        .split('\n')
        .map((line) => `    ${chalk.dim(line)}`.trimEnd())
        .join('\n');
    }
    if (block.startsWith('|')) {
      const cells = (row = '') =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim());
      const [names, , values] = block.split('\n');
      const facts = cells(names).map((name, at) => [name, cells(values)[at] ?? ''] as const);
      return renderFacts(facts, look).trimEnd();
    }
    return wrap(block.replaceAll('\n', ' '), width, measure).map(inline).join('\n');
  }
}

/** Splits Markdown at blank lines outside code fences. */
function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  let isFenced = false;
  let open = false;
  for (const line of text.trimEnd().split('\n')) {
    const isFence = line.startsWith('```');
    if (open && (isFenced || line !== '')) blocks[blocks.length - 1] += `\n${line}`;
    else if (line !== '') blocks.push(line);
    if (isFence) isFenced = !isFenced;
    open = isFenced || (line !== '' && !isFence);
  }
  return blocks;
}
