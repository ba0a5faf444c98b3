import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checksum,
  decodeJournal,
  encodeJournal,
  JournalFile,
  type JournalFormat,
} from '../../src/durable/index.js';
import { temporaryDirectory } from '../server/support.js';

const HEADER = 'a-journal 1\n';

const form: JournalFormat<readonly unknown[]> = {
  name: 'a-journal',
  version: 1,
  encode: (record) => JSON.stringify(record),
  decode: (json) => {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? { record: value } : { problem: 'it is no array' };
  },
};

const lists = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 20 });

const line = (json: string) => `${checksum(json)} ${json}\n`;
const END = (records: number) => line(`{"records":${records}}`);
const LEAST = (records: number) => line(`{"least":${String(records).padStart(12)}}`);

describe('the text of a journal', () => {
  test('is read back, and cut at any byte it is damaged', () => {
    fc.assert(
      fc.property(lists, (records) => {
        const bytes = Buffer.from(encodeJournal(form, records));
        expect(decodeJournal(form, bytes.toString('utf8'))).toEqual({ records, isTorn: false });
        for (let cut = 0; cut < bytes.length; cut++) {
          const { damage, isTorn } = decodeJournal(form, bytes.subarray(0, cut).toString('utf8'));
          expect(damage, `cut at ${cut}`).toEqual(expect.any(String));
          // What was acknowledged is all there.
          expect(isTorn, `cut at ${cut}`).toBe(cut >= bytes.length - END(records.length).length);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('is torn, and keeps what was acknowledged, wherever a write over its end is cut short', () => {
    fc.assert(
      fc.property(lists, lists, (records, added) => {
        const old = Buffer.from(encodeJournal(form, records));
        const at = old.length - Buffer.byteLength(END(records.length));
        const all = Buffer.from(encodeJournal(form, [...records, ...added]));
        // They are not counted yet.
        const next = Buffer.concat([old.subarray(0, at), all.subarray(at)]);
        for (let cut = at; cut < next.length; cut++) {
          const found = Buffer.concat([next.subarray(0, cut), old.subarray(cut)]).toString('utf8');
          const read = decodeJournal(form, found);
          expect(read.damage === undefined || read.isTorn, `cut at ${cut}`).toBe(true);
          expect(read.records.slice(0, records.length)).toEqual(records);
          expect(read.records).toEqual([...records, ...added].slice(0, read.records.length));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('with any bit changed is damaged, and what can be read of it counts', () => {
    const bytes = Buffer.from(encodeJournal(form, [['wind'], ['rain'], ['fog']]));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      const { damage, records, isTorn } = decodeJournal(form, changed.toString('utf8'));
      expect(damage, `bit ${bit}`).toEqual(expect.any(String));
      // The first line and the count hold no record; a line end that is lost joins two lines.
      const isBeforeRecords = bit < (HEADER + LEAST(3)).length * 8 - 8;
      if (isBeforeRecords)
        expect([records, isTorn]).toEqual([[['wind'], ['rain'], ['fog']], false]);
      else expect(records.length).toBeGreaterThanOrEqual(1);
    }
  });

  test.each([
    ['nothing', '', 'it is empty', false],
    ['another file', 'PNG\r\n', 'it is not a journal', false],
    ['another version', 'a-journal 9\n', 'it is not a journal', false],
    ['no record', HEADER, 'at least 1 of its records are missing', false],
    ['no end', HEADER + LEAST(0), 'it is truncated', true],
    ['no end after a record', HEADER + LEAST(1) + line('[]'), 'it is truncated', true],
    [
      'half a count',
      HEADER + LEAST(0).slice(0, 20),
      'at least 1 of its records are missing',
      false,
    ],
    [
      'fewer records than were written',
      HEADER + LEAST(3) + line('[]'),
      'at least 2 of its records are missing',
      false,
    ],
    ['an end for more records', HEADER + END(1), 'at least 1 of its records are missing', false],
    ['a later count', `${HEADER}${line('[]')}${LEAST(1)}${END(1)}`, 'line 3 is corrupt', false],
    ['more after the end', `${HEADER}${END(0)}${line('[]')}`, 'line 3 is corrupt', false],
    ['zeros after the end', `${HEADER}${END(0)}\0\0\0`, 'its last line is incomplete', false],
    ['zeros after a record', `${HEADER}${line('[]')}\0\0`, 'its last line is incomplete', true],
    ['half a line', `${HEADER}${LEAST(0)}deadbeef {}\n`, 'line 3 is corrupt', true],
    ['another content', HEADER + line('"a"') + END(0), 'line 2: it is no array', false],
    [
      'half a line before another',
      `${HEADER}deadbeef []\n${line('[]')}`,
      'line 2 is corrupt',
      false,
    ],
  ])('of %s is damaged', (_, text, damage, isTorn) => {
    const read = decodeJournal(form, text);
    expect(read).toMatchObject({ damage: expect.stringContaining(damage), isTorn });
  });
});

describe('a journal in a file', () => {
  test('holds what was added when that is acknowledged, whatever the limit of its history', async () => {
    const directory = temporaryDirectory();
    let number = 0;
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(5), async (all, most) => {
        const path = join(directory, `journal-${number++}`);
        // In effect is the last record.
        let last: readonly unknown[] = ['first'];
        const journal = await JournalFile.open(path, form, {
          renew: (added) => [added.at(-1) ?? last],
          apply: (record) => {
            last = record;
          },
          isLong: (records) => records > most,
        });
        for (const record of all) {
          await journal.add(record);
          const { records, damage } = decodeJournal(form, readFileSync(path, 'utf8'));
          expect([records.at(-1), damage, last]).toEqual([record, undefined, record]);
          expect(records.length).toBeLessThanOrEqual(most + 1);
          expect(journal.size).toBe(statSync(path).size);
        }
        await journal.close();
        await expect(journal.add(['late'])).rejects.toThrow('is closed');
      }),
      { numRuns: 30 },
    );
  });

  test('takes what is added at once in order, and replaces what the file held', async () => {
    const path = join(temporaryDirectory(), 'journal');
    writeFileSync(path, 'another file');
    const journal = await JournalFile.open(path, form, { renew: () => [], apply: () => {} });
    const all = Array.from({ length: 100 }, (_, index) => [index]);
    await Promise.all(all.map((record) => journal.add(record)));
    await journal.close();
    expect(readFileSync(path, 'utf8')).toBe(encodeJournal(form, all));
  });

  test('cut behind any of its records says how many it lacks', async () => {
    const path = join(temporaryDirectory(), 'journal');
    const journal = await JournalFile.open(path, form, { renew: () => [], apply: () => {} });
    for (let n = 0; n < 5; n += 1) await journal.add([n]);
    const lines = readFileSync(path, 'utf8').split(/(?<=\n)/);
    await journal.close();
    const cuts = [1, 2, 3, 4].map((n) => decodeJournal(form, lines.slice(0, 2 + n).join('')));
    expect(cuts.map(({ damage, isTorn }) => [damage, isTorn])).toEqual(
      [4, 3, 2, 1].map((n) => [`at least ${n} of its records are missing`, false]),
    );
  });
});
