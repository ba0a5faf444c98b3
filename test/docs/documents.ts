import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A fenced block of a document: at least three backquotes, and `LANGUAGE [FILE] [wrong|part]`, or
 * `sh [NEEDS]`.
 */
export interface Block {
  readonly language: string;
  /** The file that the block is. */
  readonly file: string | undefined;
  /** `wrong`: it has findings; `part`: it is a part of a file. */
  readonly mark: 'wrong' | 'part' | undefined;
  /** What commands need that a test does not have. */
  readonly needs: Need | undefined;
  readonly body: string;
  /** The line of its fence. */
  readonly line: number;
}

export interface Document {
  readonly path: string;
  readonly text: string;
}

/** Why the commands of an `sh` block do not run in a test; their flags are checked. */
export const NEEDS = {
  bench: 'a server of mutators elsewhere',
  clickhouse: 'a ClickHouse server',
  clone: 'a clone of the project: they are its own scripts',
  reflector: 'a reflector, which is another program',
  registry: 'a release in the npm registry; npm is left out, and what follows runs',
} as const;
export type Need = keyof typeof NEEDS;

const MARKS = ['wrong', 'part'] as const;
const FENCED = /^(`{3,})([^`\n]*)\n(.*?)^\1$/gms;

/** What people read in order: the README, the docs beside the generated pages of rules, and the examples. */
export const documents: readonly Document[] = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'examples/README.md',
].map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** The fenced blocks of a text, in their order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCED)].map(({ 2: info = '', 3: body = '', index }) =>
    toBlock(info, body, text.slice(0, index).split('\n').length),
  );
}

/** A text without its blocks. */
export function proseOf(text: string): string {
  return text.replace(FENCED, '');
}

/** A text with the bodies of some blocks written anew, one after the other. */
export async function rewriteBlocks(
  text: string,
  rewrite: (block: Block) => string | Promise<string>,
): Promise<string> {
  let rewritten = '';
  let end = 0;
  for (const match of text.matchAll(FENCED)) {
    const [whole, fence = '', info = '', body = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    rewritten += text.slice(end, match.index);
    rewritten += `${fence}${info}\n${await rewrite(toBlock(info, body, line))}${fence}`;
    end = match.index + whole.length;
  }
  return rewritten + text.slice(end);
}

function toBlock(info: string, body: string, line: number): Block {
  const [language = '', ...words] = info.split(' ');
  const mark = MARKS.find((word) => words.includes(word));
  const needs = language === 'sh' ? words.find(isNeed) : undefined;
  const names = words.filter((word) => word !== mark && word !== needs);
  if (names.length > 1) throw new Error(`line ${line}: a block is one file: ${info}`);
  return { language, file: names[0], mark, needs, body, line };
}

function isNeed(word: string): word is Need {
  return Object.hasOwn(NEEDS, word);
}
