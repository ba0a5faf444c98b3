import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';

/*
 * Writes golden files again: runs the files of tests that have some, and no others. Words narrow the
 * choice: `npm run golden -- test/reporters`. Whatever the tests have started has ended afterwards.
 */

const words = process.argv.slice(2);
const files = globSync('test/**/*.test.ts').filter(
  (path) =>
    /\.toMatch(?:File|Inline)?Snapshot\(/.test(readFileSync(path, 'utf8')) &&
    (words.length === 0 || words.some((word) => path.includes(word))),
);
if (files.length === 0) {
  process.stderr.write(`no test with golden files has ${words.join(' or ')} in its path\n`);
  process.exit(2);
}

const MARK = `PERTURB_GOLDEN=${randomUUID()}`;
const [name = '', value] = MARK.split('=');
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
const child = spawn(process.execPath, [...vitest, '--update=all', ...files], {
  stdio: 'inherit',
  env: { ...process.env, [name]: value },
});
process.on('SIGINT', () => child.kill('SIGINT'));
child.on('close', (code) => {
  for (const pid of marked()) process.kill(pid, 'SIGKILL');
  process.exitCode = code ?? 1;
});

/** The processes that have inherited the mark; where there is no /proc, none are found. */
function marked() {
  const pids = existsSync('/proc')
    ? readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
    : [];
  return pids.map(Number).filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(MARK);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  });
}
