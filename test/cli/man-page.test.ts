import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/commands.js';
import { describeProgram } from '../../src/cli/help/describe-program.js';
import { manPage } from '../../src/cli/help/man-page.js';
import { isInstalled } from './shells.js';

/* `docs/perturb.1` is generated from the help texts: `npm run golden` writes it. */

test('docs/perturb.1 says what the help says', async () => {
  const page = manPage(await describeProgram({ groups, commands }));
  await expect(page).toMatchFileSnapshot('../../docs/perturb.1');
  expect(JSON.parse(readFileSync('package.json', 'utf8')).man).toEqual(['./docs/perturb.1']);
});

test.skipIf(!isInstalled('groff'))('groff renders it without a warning', async () => {
  const { stdout, stderr } = spawnSync(
    'groff',
    ['-man', '-ww', '-rHY=0', '-Tascii', '-P-c', '-P-b', '-P-u', 'docs/perturb.1'],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('perturb objective lint [options] [paths...]');
  expect(stdout).toContain(
    '  cat wind.toml | perturb objective lint - --stdin-filename wind.toml\n',
  );
  expect(stdout).toMatch(/^ +-f, --format name\[=file\]\n +How to report; may be repeated/m);
});
