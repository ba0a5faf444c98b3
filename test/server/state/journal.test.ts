import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Journal,
  type JournalOptions,
  openJournal,
  type Touched,
} from '../../../src/server/state/journal.js';
import {
  decodeJournal,
  encodeEnd,
  encodeRecord,
  HEADER,
} from '../../../src/server/state/journal-records.js';
import { StateError } from '../../../src/server/state/state-error.js';
import { MUTATION, temporaryDirectory } from '../support.js';

const touched: Touched = { mutation: MUTATION, since: 1_700_000_000_000 };

const ids = fc.constantFrom('wind', 'links/a b%2F', '__proto__', 'ü🚀', '\ud800', 'a"\n');
const operations = fc.array(
  fc.record({ id: ids, since: fc.option(fc.nat(), { nil: undefined }) }),
  { maxLength: 20 },
);

/** What operations leave, and what each prefix of them does. */
function model(all: readonly { id: string; since: number | undefined }[]): Map<string, Touched> {
  const entries = new Map<string, Touched>();
  for (const { id, since } of all) {
    if (since === undefined) entries.delete(id);
    else entries.set(id, { since });
  }
  return entries;
}

const openAt = async (path: string, more: Partial<JournalOptions> = {}): Promise<Journal> => {
  const options = { mutators: ['wind', 'rain'], isExpected: false, ...more };
  const { journal, unusable } = await openJournal(path, options);
  if (unusable !== undefined) throw unusable;
  return journal;
};

/** A journal as it is on the disk after these records. */
const written = (lines: readonly string[]) => HEADER + lines.join('') + encodeEnd(lines.length);

describe('the text of a journal', () => {
  test('is read back, and cut at any byte it is damaged', () => {
    fc.assert(
      fc.property(operations, (all) => {
        const lines = all.map(({ id, since }) =>
          encodeRecord(since === undefined ? { id } : { id, touched: { since } }),
        );
        const bytes = Buffer.from(written(lines));
        expect(decodeJournal(bytes.toString('utf8'))).toEqual({
          entries: model(all),
          records: all.length,
        });
        for (let cut = 0; cut < bytes.length; cut++) {
          const decoded = decodeJournal(bytes.subarray(0, cut).toString('utf8'));
          expect(decoded.damage, `cut at ${cut}`).toEqual(expect.any(String));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('with any bit changed is damaged, and what can be read of it counts', () => {
    const lines = ['wind', 'rain', 'fog'].map((id) => encodeRecord({ id, touched }));
    const bytes = Buffer.from(written(lines));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      const { damage, entries } = decodeJournal(changed.toString('utf8'));
      expect(damage, `bit ${bit}`).toEqual(expect.any(String));
      // A line end that is lost joins two lines.
      if (bit >= HEADER.length * 8) expect(entries.size).toBeGreaterThanOrEqual(1);
    }
  });

  test.each([
    ['nothing', '', 'it is empty'],
    ['another file', 'PNG\r\n', 'it does not begin like a journal'],
    ['another version', 'perturb-journal 9\n', 'it does not begin like a journal'],
    ['no end', HEADER, 'its end is missing'],
    ['an end for more records', HEADER + encodeEnd(1), 'its end is missing'],
    [
      'more after the end',
      `${written([])}${encodeRecord({ id: 'a' })}`,
      'line 3 is not as written',
    ],
    ['zeros', `${written([])}\0\0\0`, 'its last line is not whole'],
    ['half a line', `${HEADER}deadbeef {}\n`, 'line 2 is not as written'],
  ])('of %s is damaged', (_, text, damage) => {
    expect(decodeJournal(text).damage).toBe(damage);
  });
});

describe('a journal on the disk', () => {
  const open = async (path: string, more: Partial<JournalOptions> = {}): Promise<Journal> => {
    const journal = await openAt(path, more);
    onTestFinished(() => journal.close());
    return journal;
  };

  test('remembers what was touched and not cleared, whatever the limit of its history', async () => {
    const path = join(temporaryDirectory(), 'journal');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(operations, fc.nat(5), async (all, mostRecords) => {
        const file = `${path}-${number++}`;
        const journal = await openAt(file, { mostRecords });
        for (const { id, since } of all) {
          await (since === undefined ? journal.clear(id) : journal.touch(id, { since }));
          // On the disk by now.
          const onDisk = decodeJournal(readFileSync(file, 'utf8'));
          expect([onDisk.entries, onDisk.damage]).toEqual([journal.entries, undefined]);
        }
        expect(journal.entries).toEqual(model(all));
        expect(journal.size).toBe(statSync(file).size);
        const lines = readFileSync(file, 'utf8').split('\n').length - 3;
        expect(lines).toBeLessThanOrEqual(mostRecords + 1 + 6);
        await journal.close();
        const next = await openAt(file);
        expect([next.entries, next.damage]).toEqual([model(all), undefined]);
        await next.close();
      }),
      { numRuns: 30 },
    );
  });

  test('writes what comes at once in one go, in order', async () => {
    const journal = await open(join(temporaryDirectory(), 'journal'));
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 3 === 2 ? journal.clear('wind') : journal.touch('wind', { since: index }),
      ),
    );
    expect(journal.entries).toEqual(new Map([['wind', { since: 199 }]]));
  });

  test('that lost its end has every mutator, also for the next who opens it, and is kept', async () => {
    const path = join(temporaryDirectory(), 'journal');
    const first = await openAt(path);
    await first.touch('gone', touched);
    await first.touch('wind', touched);
    await first.clear('gone');
    await first.close();
    const lost = readFileSync(path).subarray(0, -50);
    writeFileSync(path, lost);
    const second = await openAt(path);
    expect([...second.entries.keys()]).toEqual(['gone', 'wind', 'rain']);
    expect(second.damage).toBe('its last line is not whole');
    expect(readFileSync(`${path}.damaged`)).toEqual(lost);
    await second.close();
    // As if it were killed before anything is reset.
    const third = await open(path);
    expect([third.damage, [...third.entries.keys()]]).toEqual([
      undefined,
      ['gone', 'wind', 'rain'],
    ]);
    await third.touch('snow', touched);
    expect(decodeJournal(readFileSync(path, 'utf8'))).toMatchObject({ records: 4 });
  });

  test('that is missing where there was one is damaged too', async () => {
    const path = join(temporaryDirectory(), 'journal');
    const journal = await open(path, { isExpected: true });
    expect([journal.damage, [...journal.entries.keys()]]).toEqual([
      'it is missing',
      ['wind', 'rain'],
    ]);
  });

  test('that is no file is not opened', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'journal');
    writeFileSync(path, written([]));
    await expect(openAt(directory)).rejects.toThrow(StateError);
    await expect(openAt(join(path, 'below'))).rejects.toMatchObject({ code: 'not-usable' });
  });
});
