import { wrap } from '../../reporters/index.js';

const length = (text: string) => text.length;

/**
 * Lays out a help text for a terminal: its paragraphs anew, and commands that are too long over
 * several lines, as a shell takes them. Commander has laid out its lists by then.
 *
 * @param columns The width of the terminal; undefined where there is none: nothing changes.
 */
export function fitHelp(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  // A line that ends with no full stop goes on in the next one.
  const joined = text.replace(/(?<=^(?! ).*[^.:\n])\n(?=[^\s])/gm, ' ');
  return joined
    .split('\n')
    .flatMap((line) => {
      if (line.length <= columns) return [line];
      return line.startsWith(' ') ? foldCommand(line, columns) : wrap(line, columns, length);
    })
    .join('\n');
}

/** Breaks a command between its arguments, each line but the last with a backslash. */
function foldCommand(line: string, columns: number): string[] {
  const indent = / */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indent;
  for (const word of line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []) {
    const longer = current.trim() === '' ? current + word : `${current} ${word}`;
    if (longer.length <= columns - ' \\'.length || current.trim() === '') {
      current = longer;
      continue;
    }
    lines.push(`${current} \\`);
    current = `${indent}  ${word}`;
  }
  return [...lines, current];
}
