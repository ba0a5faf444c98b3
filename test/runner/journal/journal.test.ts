import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import {
  decodeRecord,
  encodeRecord,
  journalPath,
  openJournal,
  readJournal,
} from '../../../src/runner/journal/journal.js';
import type { JournalRecord, MeasurementResult } from '../../../src/runner/journal/records.js';
import { planToJson } from '../../../src/runner/plan/space.js';
import { writeJson } from '../../../src/values/index.js';
import { attributeValue } from '../../mutators/arbitrary.js';

const made: string[] = [];

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'perturb-journal-'));
  made.push(path);
  return path;
}

afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

const stamp = { time: 1_700_000_000_000, elapsed: 12.5 };

const plan = fc.array(
  fc.record({
    server: fc.string(),
    id: fc.string(),
    name: fc.string(),
    params: fc
      .uniqueArray(fc.tuple(fc.string({ minLength: 1 }), attributeValue), {
        selector: ([key]) => key,
        maxLength: 4,
      })
      .map((entries) => new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)))),
  }),
  { minLength: 1, maxLength: 3 },
);

function decoded(json: string): JournalRecord | undefined {
  const read = decodeRecord(json);
  return 'record' in read ? read.record : undefined;
}

test('a record is read as it was written, its values exactly', () => {
  fc.assert(
    fc.property(plan, fc.nat(), (some, n) => {
      const record: JournalRecord = { step: 'attempt', n, plan: some, ...stamp };
      const read = decoded(encodeRecord(record));
      const sorted = (one: JournalRecord | undefined) =>
        one?.step === 'attempt' &&
        one.plan.map(({ params, ...rest }) => ({
          ...rest,
          params: [...params].sort(([a], [b]) => (a < b ? -1 : 1)),
        }));
      expect(sorted(read)).toEqual(sorted(record));
      expect(read).toMatchObject({ step: 'attempt', n, ...stamp });
    }),
  );
});

const RUN: JournalRecord = {
  step: 'run',
  version: 1,
  id: '9b2f6a1c-0d5e-4c43-9a44-0f3c1e6a7b21',
  objective: { name: 'wind', origin: 'wind.toml', text: 'name = "wind"\n', digest: 'ab12' },
  seed: 2n ** 64n - 1n,
  strategy: 'mixed',
  catalog: 'cd34',
  servers: ['bench'],
  attemptMs: 30_000,
  shrink: false,
  ...stamp,
};

/** A set of mutators with four parameters each, with long names. */
function longPlan(mutators: number) {
  return Array.from({ length: mutators }, (_, at) => ({
    server: 'http://127.0.0.1:18232',
    id: `the-delay-of-telemetry-between-modules-${at}`,
    name: `the-delay-of-telemetry-between-modules-${at}`,
    probe: 'SIMULATOR_OF_THE_AIRFRAME',
    params: new Map(
      Array.from({ length: 4 }, (_, key) => [
        `how_long_the_message_is_kept_${key}`,
        { type: 'float' as const, value: Math.PI * 10 ** key },
      ]),
    ),
  }));
}

/** How many bytes the journal takes for an attempt: a line for each step, behind its checksum. */
function attemptBytes(plan: ReturnType<typeof longPlan>): number {
  const n = 10_000;
  const steps: JournalRecord[] = [
    { step: 'attempt', n, plan, ...stamp },
    ...plan.flatMap((_, at): JournalRecord[] => [
      { step: 'inject', n, at },
      { step: 'injected', n, at },
      { step: 'reset', n, at },
    ]),
  ];
  return steps.reduce((sum, step) => sum + Buffer.byteLength(encodeRecord(step)) + 10, 0);
}

test('an attempt takes its set, and beside it 140 bytes for each mutation', () => {
  for (const mutators of [1, 3, 20]) {
    const plan = longPlan(mutators);
    const set = Buffer.byteLength(writeJson(planToJson(plan)));
    expect(attemptBytes(plan) - set).toBeLessThan(150 + 140 * mutators);
  }
  // What is left of 1 kB is for the verdicts.
  expect(attemptBytes(longPlan(1))).toBeLessThan(650);
});

test('a seed of 64 bits is kept whole', () => {
  expect(decodeRecord(encodeRecord(RUN))).toEqual({ record: RUN });
});

const details: MeasurementResult['details'] = {
  bindings: '2',
  measures: [{ text: 'max(b.n) < 1', left: '1.5', right: '1', holds: false, margin: -1 / 3 }],
  evidence: [
    {
      why: 'max',
      binding: { b: { probe: 'B', seq: 1, attributes: { time: 1_700_000_000_123_456_789n } } },
    },
  ],
};

test.each([true, false])(
  'of a result all is kept, its large integers too, where should_pass is %s',
  (shouldPass) => {
    const measured: JournalRecord = {
      ...{ step: 'measured', n: 1, outcome: 'failed', ms: 1, events: 1, reasons: [], ...stamp },
      measurements: [
        { name: 'low', shouldPass, status: 'fails', details },
        { name: 'high', shouldPass, status: 'fails' },
        { name: 'none', shouldPass, status: 'fails', details: { measures: [] } },
      ],
      command: { status: 0, timedOut: !shouldPass },
    };
    const written = encodeRecord(measured);
    expect(decodeRecord(written)).toEqual({ record: measured });
    expect(decodeRecord(written.replace('{', '{"reasons":[],'))).toEqual({ record: measured });
    const [first = '', ...others] = [
      '"time":1700000000123456789',
      '"shouldPass":true',
      '"reasons":[]',
      '"timedOut":false',
    ];
    expect([written.includes(first), others.filter((one) => written.includes(one))]).toEqual([
      true,
      [],
    ]);
  },
);

const resumed: JournalRecord = { step: 'resumed', ...stamp };

test('records are there again, and a last one that was cut short is not', async () => {
  const path = directory();
  const journal = await openJournal(path);
  await journal.add(RUN);
  const begun = readFileSync(journalPath(path), 'utf8');
  await journal.add(resumed);
  await journal.close();
  const whole = readFileSync(journalPath(path), 'utf8');
  // The second record stands where the end of the first was, and is counted only once it is on the disk.
  const kept = begun.split('\n').slice(0, 3).join('\n').length + 1;
  for (let length = kept; length <= whole.length; length += 1) {
    writeFileSync(journalPath(path), begun.slice(0, kept) + whole.slice(kept, length));
    const again = await openJournal(path);
    const isRead = length > whole.trimEnd().lastIndexOf('\n');
    expect(again.records).toEqual(isRead ? [RUN, resumed] : [RUN]);
    await again.close();
    expect(readFileSync(journalPath(path), 'utf8')).toBe(isRead ? whole : begun);
  }
});

test('a journal that lost records which were written is damaged, wherever it was cut', async () => {
  const path = directory();
  const journal = await openJournal(path);
  await journal.add(RUN);
  await journal.add(resumed);
  await journal.add(resumed);
  await journal.close();
  const whole = readFileSync(journalPath(path), 'utf8');
  const second = whole.split('\n').slice(0, 4).join('\n').length + 1;
  for (let length = second; length > 14; length -= 1) {
    writeFileSync(journalPath(path), whole.slice(0, length));
    await expect(readJournal(path)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/\(at least [123] of its records are missing\)/),
    });
  }
});

test('a record that was changed is damage', async () => {
  const path = directory();
  const journal = await openJournal(path);
  await journal.add(RUN);
  await journal.add(resumed);
  await journal.close();
  const whole = readFileSync(journalPath(path), 'utf8');
  writeFileSync(journalPath(path), whole.replace('"seed":"1', '"seed":"2'));
  await expect(readJournal(path)).rejects.toMatchObject({
    code: 'damaged',
    message: expect.stringContaining('(line 3 is corrupt)'),
  });
});

test('what cannot be written is an error that says so', async () => {
  const path = directory();
  const journal = await openJournal(path);
  await journal.add(RUN);
  await journal.close();
  // Writing to a closed file fails as a full disk does.
  await expect(journal.add(resumed)).rejects.toMatchObject({ code: 'not-written' });
  expect(await readJournal(path)).toEqual([RUN]);
});
