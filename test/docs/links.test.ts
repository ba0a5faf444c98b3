import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { proseOf } from './documents.js';
import { installPackage } from './installed.js';

const { files } = await installPackage();
/** The files of the package, and the folders that they are in. */
const packed = new Set(
  files.flatMap((path) => {
    const parts = path.split('/');
    return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
  }),
);
const pages = [...packed].filter((path) => /\.(?:md|html)$/.test(path));

/** The anchors of a page: the ids of HTML, and those that GitHub makes of headings. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.html')) {
    return new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id as string));
  }
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(text).matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let at = 1; anchors.has(unique); at += 1) unique = `${anchor}-${at}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Where a page's links lead, but for those to other sites. */
function linksOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = path.endsWith('.html')
    ? text.matchAll(/\s(?:xlink:)?(?:href|src)="([^"]+)"/g)
    : proseOf(text).matchAll(/\]\(([^)]+)\)/g);
  return [...found]
    .map(([, link]) => link as string)
    .filter((link) => !/^(?:https?|data):/.test(link));
}

/** The links of a page that lead nowhere, of those that a reader of these files has. */
function brokenLinks(page: string, isThere: (path: string) => boolean): string[] {
  return linksOf(page).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : join(dirname(page), file).replace(/\/$/, '');
    return !isThere(target) || (anchor !== undefined && !anchorsOf(target).has(anchor));
  });
}

test.each(pages)('in the package, the links of %s lead somewhere', (page) => {
  expect(brokenLinks(page, (path) => packed.has(path))).toEqual([]);
});

test('in the repository, the links of the pages beside them do', () => {
  expect(brokenLinks('CONTRIBUTING.md', existsSync)).toEqual([]);
});

test('every document is reached from the index', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const linked = [...index.matchAll(/\]\(((?:contributing\/)?[a-z\d-]+\.md)\)/g)].map(([, name]) =>
    join('docs', name as string),
  );
  const folders = ['docs', 'docs/contributing'];
  const there = pages.filter(
    (path) => folders.includes(dirname(path)) && path !== 'docs/README.md',
  );
  expect([...new Set(linked)].sort()).toEqual(there.filter((path) => path.endsWith('.md')).sort());
});
