import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A fenced block of a document: at least three backquotes, and `LANGUAGE [FILE] [wrong|part]`, or
 * `console [NEEDS]` and `sh [NEEDS]`.
 */
export interface Block {
  readonly language: string;
  /** The file that the block is. */
  readonly file: string | undefined;
  /** `wrong`: it has findings; `part`: it is a part of a file. */
  readonly mark: 'wrong' | 'part' | undefined;
  /** What commands need beside the package. */
  readonly needs: Need | undefined;
  readonly body: string;
  /** The line of its fence. */
  readonly line: number;
}

export interface Document {
  readonly path: string;
  readonly text: string;
}

/** What a test provides for the commands of a block, which all run. */
export const NEEDS = {
  bench: 'a server of mutators at https://bench.example/api, and its key in BENCH_API_KEY',
  clickhouse: "ClickHouse's engine at db.example:8123, and its password in CLICKHOUSE_PASSWORD",
  clone: 'a copy of the project, the same one for all pages (clone.test.ts)',
  reflector: 'a program named reflector, which does with the plugin what reflectors do',
  packed: 'a packed file of the project, and the folder where it was installed as the page tells',
  suite: 'nothing that a test can provide: it runs all tests, as .ci/run does (clone.test.ts)',
} as const;
export type Need = keyof typeof NEEDS;

const MARKS = ['wrong', 'part'] as const;
const FENCED = /^(`{3,})([^`\n]*)\n(.*?)^\1$/gms;

/**
 * What people read: the README, the docs beside the generated pages of rules, the examples, how
 * to contribute, and how to report a vulnerability. No other page of the package shows commands.
 */
export const documents: readonly Document[] = [
  'README.md',
  ...['docs', 'docs/systems', 'docs/contributing'].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
  'examples/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
].map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** The fenced blocks of a text, in their order. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCED)].map(({ 2: info = '', 3: body = '', index }) =>
    toBlock(info, body, text.slice(0, index).split('\n').length),
  );
}

/** Whether a block is one that a reader enters into a shell. */
export function isEntered({ language }: Block): boolean {
  return language === 'console' || language === 'sh';
}

/** Whether its commands run in a clone of the project, not in the reader's directory. */
export function isOfClone({ needs }: Block): boolean {
  return needs === 'clone' || needs === 'suite';
}

/** The commands of such a block; a backslash at the end of a line continues one. */
export function commandsOf({ language, body }: Block): string[] {
  if (language === 'sh') {
    return (body.match(/^(?:.*\\\n)*.*$/gm) ?? []).filter((line) => /^\s*[^\s#]/.test(line));
  }
  const commands = body.match(/^(?:\$ (?:.*\\\n)*.*|\^[C\\])$/gm) ?? [];
  return commands.map((command) => command.replace(/^\$ /, ''));
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
  const needs = language === 'console' || language === 'sh' ? words.find(isNeed) : undefined;
  const names = words.filter((word) => word !== mark && word !== needs);
  if (names.length > 1) throw new Error(`line ${line}: a block is one file: ${info}`);
  return { language, file: names[0], mark, needs, body, line };
}

function isNeed(word: string): word is Need {
  return Object.hasOwn(NEEDS, word);
}
