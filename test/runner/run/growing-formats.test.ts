import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { followEvents } from '../../../src/runner/io/file-events.js';
import type { NeutralRecord, Reading } from '../../../src/session/index.js';
import { directoryWith } from '../../cli/program.js';
import { isLong } from '../../long.js';

const LINES = isLong ? 100_000 : 5_000;

/** Of each format, its line for a number, what is to be said about it, and the name of the event. */
const FORMATS: Readonly<
  Record<
    string,
    readonly [line: (n: number) => string, reading?: Reading, name?: (n: number) => string]
  >
> = {
  logfmt: [
    (n) => `ts=2026-11-29T01:00:00.${String(n % 1000).padStart(3, '0')}Z level=info msg=m${n}`,
  ],
  pino: [
    (n) => `{"level":30,"time":${1_795_000_000_000 + n},"pid":1,"hostname":"h","msg":"m${n}"}`,
  ],
  nginx: [
    (n) => `10.0.0.1 - - [29/Nov/2026:01:00:00 +0000] "GET /m${n} HTTP/1.1" 200 5 "-" "curl"`,
    {},
    (n) => `GET /m${n} HTTP/1.1`,
  ],
  python: [(n) => `2026-11-29 01:00:00,${String(n % 1000).padStart(3, '0')} - app - INFO - m${n}`],
  mapped: [(n) => `at ${n}: m${n}`, { pattern: '^at (?<time>\\d+): (?<name>.*)$', unit: 's' }],
  csv: [(n) => `${n},app,m${n}`, { unit: 's' }],
  session: [(n) => `{"probe":"app","name":"m${n}"}`],
};

async function following(path: string, reading: Reading = {}, longest = 10_000) {
  const names: string[] = [];
  const notes: string[] = [];
  const lost: string[] = [];
  const add = (records: readonly NeutralRecord[]) => {
    for (const record of records) if (record.kind === 'event') names.push(record.name);
  };
  const file = await followEvents(
    { path, name: 'app.log', probe: 'app', reading, from: 'end', timeLimitMs: longest },
    {
      lines: (lines) =>
        add(lines.map((line) => JSON.parse(line)).map((one) => ({ kind: 'event', ...one }))),
      records: add,
      otlp: () => {},
      lost: (reason) => lost.push(reason),
      note: (text) => notes.push(text),
    },
  );
  return { file, names, notes, lost };
}

test.each(Object.entries(FORMATS))(
  '%s that grows, is rotated and truncated: each line once',
  async (format, [line, reading, name = (n) => `m${n}`]) => {
    const path = join(directoryWith({}), 'app.log');
    const head = format === 'csv' ? 'time,service,event\n' : '';
    const block = (first: number, end: number) =>
      Array.from({ length: end - first }, (_, at) => `${line(first + at)}\n`).join('');
    writeFileSync(path, `\ufeff${head}${block(0, 3)}`);
    const { file, names, notes, lost } = await following(path, reading);
    const steps = 10;
    const size = LINES / steps;
    for (let step = 0; step < steps; step++) {
      const first = 3 + step * size;
      const text = block(first, first + size);
      if (step === 4) {
        renameSync(path, `${path}.1`);
        writeFileSync(path, head);
      } else if (step === 7) {
        await file.drain('leave', false);
        truncateSync(path);
        appendFileSync(path, head);
      }
      // In the middle of a line.
      appendFileSync(path, text.slice(0, text.length - 7));
      if (step % 2 === 0) await file.drain('leave', false);
      appendFileSync(path, text.slice(text.length - 7));
    }
    await file.drain('take', true);
    await file.stop();
    expect({ lost, problem: file.problem() }).toEqual({ lost: [], problem: undefined });
    expect(names).toEqual(Array.from({ length: LINES }, (_, at) => name(at + 3)));
    expect(notes).toEqual([
      ...(format === 'session'
        ? []
        : [`app.log is read as ${format === 'mapped' ? 'described by its mapping' : format}`]),
      'app.log was truncated: earlier events are kept, and reading continues',
    ]);
  },
  120_000,
);

test('a pattern that tries too much is ended as in an import, and nothing more is read with it', async () => {
  const path = join(directoryWith({}), 'app.log');
  writeFileSync(path, '');
  const { file, names, lost } = await following(path, { pattern: '^(?<name>(a+)+)$' }, 50);
  const line = `${'a'.repeat(5000)}!\n`;
  appendFileSync(path, line);
  await file.drain('leave', false);
  const problem =
    'the pattern takes more than 56 ms for 5002 bytes because it backtracks too much; avoid nested repetitions such as (a+)+';
  expect(file.problem()).toBe(problem);
  appendFileSync(path, `aaa\n${line}`);
  await file.drain('take', true);
  await file.stop();
  expect({ names, lost, problem: file.problem() }).toEqual({ names: [], lost: [], problem });
});
