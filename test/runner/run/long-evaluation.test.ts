import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OBJECTIVE, openBench } from './bench.js';

const FILE = 'level.objective.toml';

/** Nothing but to try all pairs decides it: there is no order, and no equality. */
const LONG = OBJECTIVE.replace(
  /check = .*/,
  `check = "MATCH (name = 'a') AS a, (name = 'a') AS b, (name = 'a') AS c FILTER a.x + b.x = c.x * c.x + 0.5 AGGREGATE count() = 0"`,
);

/** Writes many events. */
const EVENTS = `const lines = Array.from({ length: process.argv[2] }, (_, seq) =>
  JSON.stringify({ probe: 'S', name: 'a', seq, attributes: { x: seq } }));
require('node:fs').writeFileSync(process.env.PERTURB_SESSION, lines.join('\\n') + '\\n');
`;

test('a search beyond --budget makes an attempt inconclusive', async () => {
  const bench = await openBench({
    [FILE]: LONG.replace('attempts = 12', 'attempts = 1'),
    'events.cjs': EVENTS,
  });
  const flags = ['-s', bench.url, '--out', 'out', '--budget', '1000', '--format', 'json'];
  const { code, stdout } = await bench.run(
    FILE,
    ...flags,
    '--',
    process.execPath,
    'events.cjs',
    '100',
  );
  expect(code).toBe(4);
  expect(JSON.parse(stdout).attempts[0]).toMatchObject({
    outcome: 'inconclusive',
    reasons: [expect.stringContaining('it would take more than 1000 steps')],
  });
});

test('Ctrl-C ends an evaluation, and the attempt is made again', async () => {
  const bench = await openBench({ [FILE]: LONG, 'events.cjs': EVENTS });
  const flags = ['-s', bench.url, '--out', 'out', '--budget', '999999999999999'];
  const started = bench.start(FILE, ...flags, '--', process.execPath, 'events.cjs', '3000');
  const { pid } = started.child;
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]);
  };
  await expect
    .poll(() => bench.changes.includes('DELETE level') && bench.active.size, { timeout: 60_000 })
    .toBe(0);
  // It only evaluates now.
  const before = ticks();
  await expect.poll(ticks, { timeout: 60_000 }).toBeGreaterThan(before + 50);
  started.child.kill('SIGINT');
  expect(await started.ended).toBe(4);
  expect(started.stderr()).toContain('perturb: SIGINT: resetting\n');
  expect(bench.journal().at(-1)).toMatchObject({ step: 'end', reason: 'interrupted' });
  expect(bench.journal().filter(({ step }) => step === 'measured')).toEqual([]);
});
