import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from './bench.js';

/* The order that a reading, a header or collected evidence asks for, in a run. */

/** By their clocks, the first event comes before the second; nothing else orders them. */
const OBJECTIVE = `name = "ordered"
[[measurement]]
name = "first comes first"
check = "MATCH (name = 'first') AS a, (name = 'second') AS b WHEN a -> b"
[stopping_conditions]
attempts = 1
`;

const event = (probe: string, name: string) =>
  `printf '{"probe":"${probe}","name":"${name}","time":%s}\\n' "$(date +%s%N)"`;
const EVENTS = `{ ${event('A', 'first')}; ${event('B', 'second')}; }`;
const CAUSAL = '{"session":1,"order":"causal"}';
const table = (files: string, values: string) => `[reading.x]\nfiles = ["${files}"]\n${values}\n`;
const COLLECT = `[run]\ncollect = [["cat", "collected"]]\n`;
const OWN = '$PERTURB_SESSION';

const cases: readonly [
  what: string,
  settings: string,
  script: string,
  flags: readonly string[],
  outcome: string,
][] = [
  ['nothing asks for one', '', `${EVENTS} > "${OWN}"`, [], 'passed'],
  [
    "the reading of the command's file",
    table(OWN, 'order = "causal"'),
    `${EVENTS} > "${OWN}"`,
    [],
    'failed',
  ],
  [
    '--reading',
    table('*.x', 'order = "causal"'),
    `${EVENTS} > "${OWN}"`,
    ['--reading', 'x'],
    'failed',
  ],
  [
    '--order in place of the reading',
    table(OWN, 'order = "causal"'),
    `${EVENTS} > "${OWN}"`,
    ['--order', 'time'],
    'passed',
  ],
  ['a skew', table(OWN, 'skew = "1h"'), `${EVENTS} > "${OWN}"`, [], 'inconclusive'],
  [
    '--skew in place of the reading',
    table(OWN, 'skew = "1h"'),
    `${EVENTS} > "${OWN}"`,
    ['--skew', '0s'],
    'passed',
  ],
  [
    'the reading of a file that grows',
    table('*.log', 'order = "causal"'),
    `${EVENTS} >> app.log`,
    ['--events', 'app.log'],
    'failed',
  ],
  [
    'the header of a file that the command writes',
    '',
    `{ echo '${CAUSAL}'; ${EVENTS}; } > "${OWN}"`,
    [],
    'failed',
  ],
  [
    'the header that a growing file held before',
    '',
    `${EVENTS} >> old.session.jsonl`,
    ['--events', 'old.session.jsonl'],
    'failed',
  ],
  [
    'the reading of collected evidence',
    `${COLLECT}${table('cat', 'order = "causal"')}`,
    `${EVENTS} > collected`,
    [],
    'failed',
  ],
  [
    'the header of collected evidence',
    COLLECT,
    `{ echo '${CAUSAL}'; ${EVENTS}; } > collected`,
    [],
    'failed',
  ],
];

test.each(cases)('%s', async (_, settings, script, flags, outcome) => {
  const bench = await openBench({
    'x.toml': OBJECTIVE,
    'system.sh': script,
    'old.session.jsonl': `${CAUSAL}\n{"probe":"A","name":"old"}\n`,
  });
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n${settings}`,
  );
  const common = ['x.toml', '--out', 'out', '--baseline', '0', '--format', 'json'];
  const run = await bench.run(...common, ...flags, '--', 'sh', 'system.sh');
  const [attempt] = JSON.parse(run.stdout || 'null')?.attempts ?? [];
  expect({ outcome: attempt?.outcome, stderr: run.stderr }).toMatchObject({ outcome });
});
