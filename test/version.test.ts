import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('package.json has no address until there is a public one', () => {
  const described = JSON.parse(readFileSync('package.json', 'utf8'));
  const addresses = ['homepage', 'bugs', 'repository'].filter((key) => key in described);
  expect(addresses).toEqual([]);
});

test('no file that a user gets shows an address for want of one', () => {
  const shown = ['src', 'docs', 'examples', 'editors', 'grammar', 'README.md', 'CHANGELOG.md'];
  const args = ['grep', '--files-with-matches', '--untracked', '-E', 'github\\.com/[A-Z]{3,}/'];
  const { status, stdout } = spawnSync('git', [...args, '--', ...shown], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
});
