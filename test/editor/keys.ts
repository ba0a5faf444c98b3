import { readFileSync } from 'node:fs';

/** What one keystroke changes: the text that stands in place of a stretch. */
export interface Keystroke {
  readonly start: number;
  readonly end: number;
  readonly typed: string;
  /** The whole text after it. */
  readonly text: string;
}

/**
 * The keystrokes of a recording that change a text, which is empty at first. A character is the key
 * that types it; others are keys with arrows on them: `⌫` and `⌦` delete, `←`, `→`, `↑` and `↓`
 * move, `⇤` and `⇥` go to the ends of the line. As in most editors, a quote comes with the one that
 * closes it, and typing that one goes over it.
 */
export function readKeys(path: string): readonly Keystroke[] {
  const keystrokes: Keystroke[] = [];
  let text = '';
  let at = 0;
  const replace = (start: number, end: number, typed: string, cursor: number): void => {
    text = text.slice(0, start) + typed + text.slice(end);
    at = cursor;
    keystrokes.push({ start, end, typed, text });
  };
  const before = (): number => at - ([...text.slice(0, at)].at(-1)?.length ?? 0);
  const behind = (): number => at + ([...text.slice(at)][0]?.length ?? 0);
  const lineStart = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = (offset: number): number => {
    const end = text.indexOf('\n', offset);
    return end === -1 ? text.length : end;
  };
  const moves: Readonly<Record<string, () => number>> = {
    '←': before,
    '→': behind,
    '⇤': () => lineStart(at),
    '⇥': () => lineEnd(at),
    '↑': () => lineStart(Math.max(0, lineStart(at) - 1)),
    '↓': () => Math.min(text.length, lineEnd(at) + 1),
  };
  for (const key of readFileSync(path, 'utf8')) {
    const move = moves[key];
    if (move !== undefined) at = move();
    else if (key === '⌫') replace(before(), at, '', before());
    else if (key === '⌦') replace(at, behind(), '', at);
    else if (key === '"' && text[at] === '"') at += 1;
    else if (key === '"' && text.endsWith('""', at)) replace(at, at, '""""', at + 1);
    else if (key === '"') replace(at, at, '""', at + 1);
    else replace(at, at, key, at + key.length);
  }
  return keystrokes;
}
