import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bugTracker, homepage } from '../src/version.js';

/** What stands in the address for the account that will hold the repository. */
const PLACEHOLDER = /https:\/\/github\.com\/([A-Z]+)\/perturb/;

test('package.json has the address that the program shows', () => {
  const described = JSON.parse(readFileSync('package.json', 'utf8'));
  expect({
    homepage: described.homepage,
    bugs: described.bugs,
    repository: described.repository.url,
  }).toEqual({
    homepage: `${homepage}#readme`,
    bugs: bugTracker,
    repository: `git+${homepage}.git`,
  });
});

test('these files show the placeholder, and have to change with it', () => {
  const [, account = ''] = PLACEHOLDER.exec(homepage) ?? [];
  expect(account).not.toBe('');
  const args = ['grep', '--files-with-matches', '--untracked', `${account}/perturb`];
  expect(execFileSync('git', args, { encoding: 'utf8' }).trimEnd().split('\n')).toEqual([
    'docs/ci.md',
    'docs/exit-codes.md',
    // Written by `npm run golden`.
    'fixtures/objective/catalog/bench.sarif.out',
    'fixtures/reporters/sarif.json',
    'package.json',
    'src/version.ts',
  ]);
});
