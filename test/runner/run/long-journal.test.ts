import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checksum } from '../../../src/durable/journal.js';
import { decodeRecord, encodeRecord } from '../../../src/runner/journal/journal.js';
import type { JournalRecord } from '../../../src/runner/journal/records.js';
import { applyRecord, fitToJournal, stateOf } from '../../../src/runner/journal/run-state.js';
import { perturb } from '../../cli/program.js';
import { isLong } from '../../long.js';
import { OBJECTIVE, openBench } from './bench.js';

const PROGRAM = resolve('dist/bin.cjs');
const ATTEMPTS = isLong ? 10_000 : 1_000;
/**
 * Of what V8 keeps; the long form also looks at all of the process, and at its CPU. In Node 24, V8 may give up
 * at 35 where 30 were enough.
 */
const HEAP_MB = isLong ? 256 : 64;
/** JSON is one text of all of it. */
const JSON_MB = isLong ? 256 : 80;

/** Tells what the process took, as it ends. */
const USAGE = `process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require('node:fs').writeFileSync('usage', JSON.stringify([maxRSS / 1024, (userCPUTime + systemCPUTime) / 1e6]));
});
`;

/** Runs Node to its end; the server in this process goes on answering. */
function finished(args: readonly string[], cwd: string) {
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 30 }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Fails each time, with much to show. */
const TALKATIVE = `[[measurement]]
name = "no note is repeated"
check = "MATCH (name = 'level') AS level, (name = 'noted') AS noted FILTER level.note = noted.note AGGREGATE max(noted.value) < 1, sum(noted.size) < 1 BY noted.note"
[stopping_conditions]`;
const SYSTEM = `sh system.sh
note=$(head -c 300 /dev/zero | tr '\\0' n)
for event in level noted noted; do
printf '{"probe":"NOTES","name":"%s","attributes":{"note":"%s","value":1,"size":2}}\\n' $event $note >> "$PERTURB_SESSION"
done`;

test(`a run of ${ATTEMPTS} attempts is shown, reported and resumed in little memory`, async () => {
  const { directory, url, run } = await openBench({
    'level.objective.toml': OBJECTIVE.replace('attempts = 12', 'attempts = 4').replace(
      '[stopping_conditions]',
      TALKATIVE,
    ),
    'talk.sh': SYSTEM,
    'usage.cjs': USAGE,
  });
  await run('level.objective.toml', '-s', url, '--out', 'out', '--', 'sh', 'talk.sh');
  const [header = '', , ...lines] = readFileSync(join(directory, 'out/journal'), 'utf8').split(
    '\n',
  );
  const records = lines.slice(0, -2).map((line) => line.slice(9));
  const first = records.findIndex((json) => json.includes('"step":"attempt"'));
  const groups: string[][] = [];
  for (const json of records.slice(first, -1)) {
    if (json.includes('"step":"attempt"')) groups.push([]);
    groups.at(-1)?.push(json);
  }
  expect(groups).toHaveLength(4);
  let state = stateOf([]);
  const many = Array.from({ length: ATTEMPTS }, (_, at) =>
    (groups[at % 4] ?? []).map((json) => {
      const read = decodeRecord(json);
      if ('problem' in read) throw new Error(read.problem);
      const record = { ...read.record, n: at + 1 } as JournalRecord;
      const written =
        record.step === 'measured'
          ? { ...record, measurements: fitToJournal(record.measurements, state) }
          : record;
      state = applyRecord(state, written);
      return encodeRecord(written);
    }),
  ).flat();
  const all = [...records.slice(0, first), ...many, ...records.slice(-1)];
  const sealed = [...all, JSON.stringify({ records: all.length })];
  mkdirSync(join(directory, 'many/attempts'), { recursive: true });
  const text = sealed.map((json) => `${checksum(json)} ${json}\n`).join('');
  writeFileSync(join(directory, 'many/journal'), `${header}\n${text}`);
  // Half a megabyte for what explains the first failures counts little among ten thousand.
  expect((text.length - 2 ** 19) / ATTEMPTS + 2 ** 19 / 10_000).toBeLessThan(1_000);
  // Of one that was interrupted the end is missing; this one finds that enough attempts were made.
  mkdirSync(join(directory, 'cut/attempts'), { recursive: true });
  const cut = [...all.slice(0, -1), JSON.stringify({ records: all.length - 1 })];
  const cutText = cut.map((json) => `${checksum(json)} ${json}\n`).join('');
  writeFileSync(join(directory, 'cut/journal'), `${header}\n${cutText}`);
  // What the journal had no room for is measured again.
  const last = ATTEMPTS - 3;
  copyFileSync(
    join(directory, 'out/attempts/1.jsonl'),
    join(directory, `many/attempts/${last}.jsonl`),
  );
  const shownOf = async (words: string) => {
    const { stdout } = await perturb(words.split(' '), { cwd: directory });
    return stdout.slice(stdout.indexOf('MEASUREMENT'));
  };
  const explained = await shownOf('runs show out --attempt 1');
  expect(explained).toContain(`note ${'n'.repeat(300)}`);
  expect(await shownOf(`runs show many --attempt ${last}`)).toBe(explained);
  expect(await shownOf(`runs show many --attempt ${last - 4}`)).not.toContain('nnn');
  for (const [words, code, shown] of [
    ['runs show many', 0, `attempts   ${ATTEMPTS}: `],
    ['runs report many', 0, 'wrote '],
    // The one that was cut says the same.
    ...(isLong ? ([['objective run --resume many', 1, `attempts   ${ATTEMPTS}: `]] as const) : []),
    ['objective run --resume many --format json', 1, `"attempt":${ATTEMPTS},`],
    ['objective run --resume cut', 1, `attempts   ${ATTEMPTS}: `],
  ] as const) {
    const node = [
      `--max-old-space-size=${words.includes('json') ? JSON_MB : HEAP_MB}`,
      '--require',
      './usage.cjs',
    ];
    const args = [...node, PROGRAM, ...words.split(' ')];
    const { status, stdout, stderr } = await finished(args, directory);
    // The one that was cut asks its server again.
    const said = words.includes('cut')
      ? `perturb: warning: "${url}": not a Perturb server, so the run cannot detect when its mutations end\n`
      : '';
    expect([words, status, stderr]).toEqual([words, code, said]);
    expect(stdout.replaceAll(' ', '')).toContain(shown.replaceAll(' ', ''));
    const [megabytes = 0, seconds = 0] = JSON.parse(
      readFileSync(join(directory, 'usage'), 'utf8'),
    ) as readonly number[];
    if (isLong) expect([words, megabytes < 300, seconds < 5]).toEqual([words, true, true]);
  }
});
