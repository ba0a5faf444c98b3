import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { homepage } from '../src/version.js';

/** What stands in the address for the account that will hold the repository. */
const PLACEHOLDER = /https:\/\/github\.com\/([A-Z]+)\/perturb/;

test('package.json has no address until there is a public one', () => {
  const described = JSON.parse(readFileSync('package.json', 'utf8'));
  const addresses = ['homepage', 'bugs', 'repository'].filter((key) => key in described);
  expect(addresses).toEqual([]);
});

test('these files show the placeholder, and have to change with it', () => {
  const [, account = ''] = PLACEHOLDER.exec(homepage) ?? [];
  expect(account).not.toBe('');
  const args = ['grep', '--files-with-matches', '--untracked', `${account}/perturb`];
  expect(execFileSync('git', args, { encoding: 'utf8' }).trimEnd().split('\n')).toEqual([
    'src/version.ts',
  ]);
});
