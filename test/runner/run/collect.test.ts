import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBench } from './bench.js';

/* Evidence that commands bring once an attempt is over. */

const OBJECTIVE = `name = "collected"
[[measurement]]
name = "served"
check = "MATCH (name = 'served') AS served"
[stopping_conditions]
attempts = 1
`;

/** A run of a command that leaves evidence behind, with commands that collect it. */
async function collecting(collect: string, ...flags: readonly string[]) {
  const script = `
    [ -f level ] || [ -f mode ] || exit 1
    date +%s.%N > began`;
  const bench = await openBench({ 'x.toml': OBJECTIVE, 'system.sh': script });
  writeFileSync(
    join(bench.directory, 'perturb.toml'),
    `[servers.bench]\nurl = "${bench.url}"\n[run]\n${collect}\n`,
  );
  const args = ['x.toml', '--out', 'out', '--format', 'json', ...flags, '--', 'sh', 'system.sh'];
  const { code, stdout, stderr } = await bench.run(...args);
  const [attempt] = JSON.parse(stdout || 'null')?.attempts ?? [];
  const events = () =>
    readFileSync(join(bench.directory, 'out/attempts/1.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
  return { code, stderr, attempt, events };
}

/** Prints a line of a log with a time of now; only if nothing is in force any more. */
const log = (name: string, format: string) =>
  `[ -f level ] || [ -f mode ] || date -u +'${format.replaceAll('NAME', name)}'`;
const LOGFMT = 'time=%Y-%m-%dT%H:%M:%S.%NZ level=info msg=NAME attempt=1';

test('what a command prints, and a file whose path another one prints, once all is reset', async () => {
  const { code, attempt, events, stderr } = await collecting(
    `collect = [["sh", "-c", """${log('served', LOGFMT)}"""], ["sh", "-c", """{ ${log('filed', LOGFMT)}; } > evidence.log; echo evidence.log"""]]`,
  );
  expect(stderr).toContain(`perturb: collect: sh -c [ -f level ]`);
  expect([code, attempt.outcome, attempt.reasons]).toEqual([0, 'passed', []]);
  expect(events().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['served', 'filed', 'perturb.injected', 'perturb.reset']),
  );
});

test('packed evidence, printed or in a file', async () => {
  const printed = `["sh", "-c", """{ ${log('served', LOGFMT)}; } | gzip"""]`;
  const filed = `["sh", "-c", """{ ${log('filed', LOGFMT)}; } | gzip > evidence.log.gz; echo evidence.log.gz"""]`;
  const { attempt, events } = await collecting(`collect = [${printed}, ${filed}]`);
  expect([attempt.outcome, attempt.reasons]).toEqual(['passed', []]);
  expect(events().map(({ name }) => name)).toEqual(expect.arrayContaining(['served', 'filed']));
});

test('lines from before the attempt belong to an earlier one', async () => {
  const old = LOGFMT.replace('%Y', '2020').replace('NAME', 'served');
  const { attempt, events } = await collecting(
    `collect = [["sh", "-c", """date -u +'${old}'; ${log('new', LOGFMT)}"""]]`,
  );
  expect(
    events()
      .filter(({ probe }) => probe !== 'perturb')
      .map(({ name }) => name),
  ).toEqual(['new']);
  expect(attempt.outcome).toBe('failed');
});

test.each([
  [
    'ends with a status',
    `collect = [["sh", "-c", "echo first >&2; echo no such pod >&2; exit 3"]]`,
    'the "collect" command "sh" exited with status 3: first | no such pod',
  ],
  [
    'is not there',
    `collect = [["./no-such-program"]]`,
    'the "collect" command "./no-such-program" could not be started: program not found',
  ],
  [
    'does not end',
    `collect = [["sh", "-c", "echo waiting >&2; sleep 100"]]\ncollect_time = "200ms"`,
    /^the "collect" command "sh" did not exit within 200ms(: waiting)?$/,
  ],
  [
    'prints no evidence',
    `collect = [["echo", "hello world"]]`,
    /^the evidence from the "collect" command "echo" cannot be read: /,
  ],
  ['prints nothing', `collect = [["true"]]`, 'no event arrived'],
])('an attempt is inconclusive if a command %s', async (_, collect, reason) => {
  const { attempt } = await collecting(collect);
  expect(attempt.outcome).toBe('inconclusive');
  expect(attempt.reasons).toHaveLength(1);
  if (typeof reason === 'string') expect(attempt.reasons[0]).toBe(reason);
  else expect(attempt.reasons[0]).toMatch(reason);
});

test('a command that prints nothing is named', async () => {
  const { stderr } = await collecting(`collect = [["true"]]`);
  expect(stderr).toContain('perturb: collect: true printed nothing, so no events were added\n');
});

/** Prints a line that only a pattern reads. */
const LINE = log('served', '%Y-%m-%dT%H:%M:%S.%NZ NAME');
const FILED = `collect = [["sh", "-c", """{ ${LINE}; } > shop.txt; echo shop.txt"""]]`;
const PRINTED = `collect = [["sh", "-c", """${LINE}"""]]`;
const table = (name: string, files: string) =>
  `[reading.${name}]\nfiles = ["${files}"]\npattern = '^(?<time>\\S+) (?<name>\\w+)$'\n`;

test.each([
  ['a file by its name', FILED, table('shop', '*.txt'), [], 'shop'],
  ['what is printed by the name of the program', PRINTED, table('shop', 'sh'), [], 'log'],
  ['a file by --reading', FILED, table('shop', '*.xyz'), ['--reading', 'shop'], 'shop'],
])('the tables of perturb.toml read %s', async (_, collect, tables, flags, probe) => {
  const { attempt, stderr, events } = await collecting(`${collect}\n${tables}`, ...flags);
  expect([attempt.outcome, attempt.reasons]).toEqual(['passed', []]);
  expect(stderr).toMatch(/^perturb: collect: sh -c .* is read as described by its mapping$/m);
  expect(events().find(({ name }) => name === 'served').probe).toBe(probe);
});

test('evidence that two tables match makes the attempt inconclusive', async () => {
  const tables = `${table('shop', '*.txt')}${table('all', 'shop.*')}`;
  const { attempt } = await collecting(`${FILED}\n${tables}`);
  expect(attempt.outcome).toBe('inconclusive');
  expect(attempt.reasons).toEqual([
    expect.stringMatching(
      /^the evidence from the "collect" command "sh" cannot be read: .*shop\.txt matches \[reading\.shop\] and \[reading\.all\] of perturb\.toml$/,
    ),
  ]);
});
