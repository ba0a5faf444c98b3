import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, proseOf } from './documents.js';

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(readFileSync(path, 'utf8')).matchAll(/^#+ (.*)$/gm)) {
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

test.each(pages)('the links of %s lead somewhere', (path) => {
  const links = [...proseOf(readFileSync(path, 'utf8')).matchAll(/\]\((?!https?:)([^)]+)\)/g)];
  const broken = links.flatMap(([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(target)) return [link];
    return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [link];
  });
  expect(broken).toEqual([]);
});

test('every document is reached from the index, in its order', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const linked = [...index.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) =>
    join('docs', name as string),
  );
  const there = pages.filter((path) => dirname(path) === 'docs' && path !== 'docs/README.md');
  expect([...linked].sort()).toEqual(there.sort());
});
