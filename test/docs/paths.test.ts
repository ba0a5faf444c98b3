import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documents, proseOf } from './documents.js';

/* The files and folders that the pages name are there. */

const LISTED = ['ls-files', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', LISTED, { encoding: 'utf8', maxBuffer: 1e8 })
  .split('\n')
  .filter((path) => existsSync(path));
const folders = files.flatMap((path) =>
  path.split('/').flatMap((_, depth, parts) => parts.slice(0, depth).join('/')),
);
const there = [...new Set([...files, ...folders])];
const rooms = readdirSync('src');

/** Pages about the code, which also name what is in `src/` without saying so. */
const ABOUT_CODE = ['docs/architecture.md', 'CONTRIBUTING.md'];

/** The paths in a page: of the top folders with something in them, and of rooms. */
function pathsIn(text: string, ofRooms: boolean): string[] {
  const spans = [...proseOf(text).matchAll(/`([\w.-]+(?:\/[\w.*-]+)*)\/?`/g)];
  return spans
    .map(([, span = '']) => span)
    .filter((span) => {
      // What `npm run vsix` writes.
      if (span.endsWith('.vsix')) return false;
      if (/^(?:src|test|bench|scripts|editors|fixtures|grammar|\.ci)\//.test(span)) return true;
      const [first = '', ...rest] = span.split('/');
      const isRule = existsSync(`docs/rules/${span}.md`) || rest[0] === '*';
      const isRoom = rooms.includes(first) && rest.length > 0 && !isRule;
      return ofRooms && (isRoom || /^[\w-]+\.ts$/.test(span));
    });
}

/** Whether a path is there: from the root, from `src/`, or a file of that name anywhere; a word in capitals stands for any. */
function isThere(path: string): boolean {
  const name = path
    .replaceAll('.', '\\.')
    .replaceAll('*', '[^/]*')
    .replaceAll(/[A-Z]{2,}/g, '[^/]+');
  const pattern = new RegExp(`^(?:src/|${path.includes('/') ? '' : '.*/'})?${name}$`);
  return there.some((one) => pattern.test(one));
}

test.each(documents)('the files and folders that $path names exist', ({ path, text }) => {
  const named = pathsIn(text, ABOUT_CODE.includes(path));
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

test('the page of the architecture has every room', () => {
  const page = documents.find(({ path }) => path === 'docs/architecture.md')?.text ?? '';
  const table = /^\| room \| holds \|\n(?:\|.*\n)*/m.exec(page)?.[0] ?? '';
  const listed = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, room]) => room);
  expect(listed.sort()).toEqual(rooms.filter((name) => !name.includes('.')).sort());
});

test('such paths are found', () => {
  const text = '`src/source`, `cli/main.ts`, `main.ts`, `cli`, `a/b` and `src/cli/GROUP/NAME.ts`';
  expect(pathsIn(text, true)).toEqual([
    ...['src/source', 'cli/main.ts', 'main.ts', 'src/cli/GROUP/NAME.ts'],
  ]);
  expect(pathsIn(text, false)).toEqual(['src/source', 'src/cli/GROUP/NAME.ts']);
  expect(['src/cli/GROUP/NAME.ts', 'main.ts', 'cli/main.ts'].map(isThere)).toEqual(
    Array(3).fill(true),
  );
  expect(['src/nowhere', 'cli/no.ts', 'no.ts', 'src/cli/GROUP/NAME.rs'].map(isThere)).toEqual(
    Array(4).fill(false),
  );
});
