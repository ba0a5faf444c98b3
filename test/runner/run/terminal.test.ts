import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { isInstalled } from '../../cli/shells.js';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';
const ERASE = '\r\x1b[K';

/** Runs a shell script on a terminal of its own, and gives all that it showed and its exit code. */
async function onTerminal(cwd: string, columns: number, script: string) {
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `stty cols ${columns}; ${script}`, '/dev/null'],
    { cwd, env: { PATH: process.env['PATH'], TERM: 'xterm', NO_COLOR: '1' }, stdio: 'pipe' },
  );
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
  });
  const [code] = await once(child, 'close');
  return { shown, code };
}

const PERTURB = `"${process.execPath}" "${resolve('dist/bin.cjs')}"`;

test.skipIf(!isInstalled('script'))(
  'a terminal shows attempts, outcomes, the time left and the set, in one line that goes at the end',
  async () => {
    const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 3') });
    const { shown, code } = await onTerminal(
      bench.directory,
      100,
      `${PERTURB} objective run ${FILE} -s ${bench.url} --seed 3 --baseline 0 -- sh system.sh`,
    );
    expect(code).toBe(1);
    const [before, ...lines] = shown.split(ERASE);
    const summary = lines.pop() ?? '';
    // Its lines are broken to the width of the terminal.
    expect(before?.replaceAll('\r\n', ' ')).toBe(
      `perturb: warning: "${bench.url}": not a Perturb server, so the run cannot detect when its mutations end `,
    );
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.every((line) => !line.includes('\n') && line.length < 100)).toBe(true);
    expect(lines[0]).toMatch(/^1 of 3: 0 passed, 0 failed \| (level value=|mode to=)/);
    expect(shown).toMatch(/2 of 3: . passed, . failed \| \d+s left \| running \| (level|mode) /);
    expect(summary).toMatch(
      /^"low" failed in \d of 3 attempts, .*\.\r\n\r\nobjective {2}level\r\nended {6}attempt limit reached\r\n/,
    );
  },
);

test.skipIf(!isInstalled('script'))('names of mutators do not act on a terminal', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 2') });
  const named = (name: string) => JSON.stringify({ 'mutator.name': name }).slice(1, -1);
  for (const name of ['level', 'mode']) {
    const wide = `${'\u98a8'.repeat(40)}\u001b[2J${name}`;
    bench.listing = bench.listing.replace(named(name), named(wide));
  }
  const { shown } = await onTerminal(
    bench.directory,
    60,
    `${PERTURB} objective run ${FILE} -s ${bench.url} --seed 3 --baseline 0 -- sh system.sh`,
  );
  expect(shown).not.toContain('\u001b[2J');
  expect(shown).toContain('\\u{1b}[2J');
  const lines = shown.split(ERASE).slice(1, -1);
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThan(60);
});

test.skipIf(!isInstalled('script'))('a narrow terminal is not overrun', async () => {
  const bench = await openBench({ [FILE]: OBJECTIVE.replace('attempts = 12', 'attempts = 2') });
  const { shown } = await onTerminal(
    bench.directory,
    40,
    `${PERTURB} objective run ${FILE} -s ${bench.url} --seed 3 --baseline 0 -- sh system.sh`,
  );
  const lines = shown.split(ERASE).slice(1, -1);
  expect(Math.max(...lines.map((line) => line.length))).toBe(39);
});
