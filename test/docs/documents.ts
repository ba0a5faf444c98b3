import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a document: at least three backquotes, and `LANGUAGE [FILE] [wrong|part]`. */
export interface Block {
  readonly language: string;
  /** The file that the block is. */
  readonly file: string | undefined;
  /** `wrong`: it has findings; `part`: it is a part of a file. */
  readonly mark: 'wrong' | 'part' | undefined;
  readonly body: string;
  /** The line of its fence. */
  readonly line: number;
}

export interface Document {
  readonly path: string;
  readonly text: string;
}

const MARKS = ['wrong', 'part'] as const;
const FENCED = /^(`{3,})([^`\n]*)\n(.*?)^\1$/gms;

/** What people read in order: the README and the docs beside the generated pages of rules. */
export const documents: readonly Document[] = [
  'README.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Every page that has links: the documents, the pages of rules, and what lies beside them. */
export const pages: readonly string[] = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'examples/README.md',
];

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
  const names = words.filter((word) => word !== mark);
  if (names.length > 1) throw new Error(`line ${line}: a block is one file: ${info}`);
  return { language, file: names[0], mark, body, line };
}
