import { expect, test } from 'vitest';
import { OBJECTIVE, openBench } from './bench.js';

/* Attempts whose events nothing orders, although the objective asks for their order. */

const FILE = 'level.objective.toml';

const NO_MOVE = OBJECTIVE.replace('attempts = 12', 'attempts = 2').replace(
  /check = .*/,
  `check = "MATCH (name = 'stop') AS stop, (name = 'move') AS move WHEN stop -> move AGGREGATE count() = 0"`,
);

const PRINTS = `printf '{"probe":"PANEL","name":"stop"}\\n{"probe":"MOTOR","name":"move"}\\n' >> "$PERTURB_SESSION"`;

const WHY =
  'stop -> move: nothing in this session orders PANEL and MOTOR: compare times, use --order time, or record messages';

test('attempts whose events have no order are inconclusive and say why, unless causality alone is asked for', async () => {
  const bench = await openBench({ [FILE]: NO_MOVE, 'system.sh': PRINTS });
  const command = ['--', 'sh', 'system.sh'];
  const run = [FILE, '-s', bench.url, '--seed', '3'];
  const undecided = await bench.run(...run, '--out', 'out', ...command);
  expect(undecided.code).toBe(4);
  expect(undecided.stdout).toContain(
    `warning recorded/unordered: nothing in the recordings orders PANEL and MOTOR`,
  );
  const shown = await bench.run('--resume', 'out', '--format', 'json');
  expect(shown.code).toBe(4);
  const { attempts } = JSON.parse(shown.stdout);
  const reasons = attempts.map((one: { outcome: string; reasons: string[] }) =>
    [one.outcome, ...one.reasons].join(': '),
  );
  expect(new Set(reasons)).toEqual(new Set([`inconclusive: low: ${WHY}`]));
  const causal = await bench.run(...run, '--order', 'causal', ...command);
  expect(causal.code).toBe(0);
  expect(causal.stdout).not.toContain('recorded/unordered');
});

const UNTIMED =
  'perturb: events at PANEL, MOTOR have no time, so it is unknown whether they came before the injection; record their times\n';

test('a baseline names the probes whose events no time or message will order with an injection', async () => {
  const about = OBJECTIVE.replace('attempts = 12', 'attempts = 1').replace(
    /check = .*/,
    `check = "MATCH (name = 'perturb.injected') AS i, (name = 'move') AS move WHEN i -> move AGGREGATE count() = 0"`,
  );
  const waiting = about.replace(
    'max_concurrent_mutations = 2',
    `mutation_precondition = "MATCH (name = 'stop') AS s"`,
  );
  const timed = PRINTS.replace('"MOTOR"', '"MOTOR","time":1');
  const notes = async (objective: string, system: string) => {
    const bench = await openBench({ [FILE]: objective, 'system.sh': system });
    const { stderr } = await bench.run(
      FILE,
      '-s',
      bench.url,
      '--seed',
      '3',
      ...['--baseline', '1'],
      '--',
      'sh',
      'system.sh',
    );
    return stderr.match(/^perturb: events at .*\n/gm);
  };
  expect(await notes(waiting, PRINTS)).toEqual([UNTIMED]);
  expect(await notes(waiting, timed)).toEqual([UNTIMED.replace(', MOTOR', '')]);
  // All events of the command come after an injection that waits for nothing.
  expect(await notes(about, PRINTS)).toBeNull();
  expect(await notes(waiting.replace("'perturb.injected'", "'stop'"), PRINTS)).toBeNull();
});
