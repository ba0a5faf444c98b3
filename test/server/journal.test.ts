import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Journal, openJournal, type Touched } from '../../src/server/state/journal.js';
import {
  decodeJournal,
  encodeJournal,
  encodeRecord,
  HEADER,
} from '../../src/server/state/journal-records.js';
import { StateError } from '../../src/server/state/state-error.js';
import { MUTATION, temporaryDirectory } from './bench.js';

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

async function codeOf(opening: Promise<unknown>): Promise<unknown> {
  const error = await opening.catch((reason: unknown) => reason);
  return error instanceof StateError ? error.code : error;
}

describe('the text of a journal', () => {
  test('cut at any byte, it says what the whole records before say', () => {
    fc.assert(
      fc.property(operations, (all) => {
        const lines = all.map(({ id, since }) =>
          encodeRecord(since === undefined ? { id } : { id, touched: { since } }),
        );
        const bytes = Buffer.from(HEADER + lines.join(''));
        const ends = lines.map((_, index) =>
          Buffer.byteLength(HEADER + lines.slice(0, index + 1).join('')),
        );
        for (let cut = 0; cut <= bytes.length; cut++) {
          const whole = ends.filter((end) => end <= cut).length;
          expect(decodeJournal(bytes.subarray(0, cut).toString('utf8'))).toEqual({
            entries: model(all.slice(0, whole)),
            records: whole,
          });
        }
      }),
      { numRuns: 50 },
    );
  });

  test('an end of any other bytes is no record, and a byte that is not as it was is noticed', () => {
    const one = encodeRecord({ id: 'wind', touched });
    const entries = new Map([['wind', touched]]);
    for (const end of [
      '\0\0\0\0',
      '\0\0\n',
      'deadbeef {}\n',
      one.slice(1),
      `${one.slice(0, -2)}\n`,
    ]) {
      expect(decodeJournal(HEADER + one + end)).toEqual({ entries, records: 1 });
    }
    const text = HEADER + one + one + one;
    for (let at = HEADER.length; at < HEADER.length + one.length; at++) {
      const changed = `${text.slice(0, at)}~${text.slice(at + 1)}`;
      expect(decodeJournal(changed)).toEqual({ code: 'damaged', detail: 'line 2' });
    }
  });

  test('only a journal of this version is read', () => {
    expect(decodeJournal('perturb-journal 2\n')).toMatchObject({ code: 'other-version' });
    expect(decodeJournal('PNG\r\n')).toMatchObject({ code: 'damaged' });
    expect(decodeJournal(encodeJournal(new Map([['a', touched]])))).toEqual({
      entries: new Map([['a', touched]]),
      records: 1,
    });
  });
});

describe('a journal on the disk', () => {
  const open = async (path: string, most?: number): Promise<Journal> => {
    const journal = await openJournal(path, most);
    onTestFinished(() => journal.close());
    return journal;
  };

  test('remembers what was touched and not cleared, whatever the limit of its history', async () => {
    const path = join(temporaryDirectory(), 'journal');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(operations, fc.nat(5), async (all, most) => {
        const file = `${path}-${number++}`;
        const journal = await openJournal(file, most);
        for (const { id, since } of all) {
          await (since === undefined ? journal.clear(id) : journal.touch(id, { since }));
          // On the disk by now.
          const onDisk = decodeJournal(readFileSync(file, 'utf8'));
          expect(onDisk).toMatchObject({ entries: journal.entries });
        }
        expect(journal.entries).toEqual(model(all));
        expect(journal.size).toBe(statSync(file).size);
        const lines = readFileSync(file, 'utf8').split('\n').length - 2;
        expect(lines).toBeLessThanOrEqual(most + 1 + 6);
        await journal.close();
        const next = await openJournal(file);
        expect(next.entries).toEqual(model(all));
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

  test('is opened after an end that was torn, and goes on behind the last whole record', async () => {
    const path = join(temporaryDirectory(), 'journal');
    const first = await openJournal(path);
    await first.touch('wind', touched);
    await first.close();
    appendFileSync(path, encodeRecord({ id: 'torn', touched }).slice(0, 30));
    const second = await open(path);
    expect(second.entries).toEqual(new Map([['wind', touched]]));
    await second.touch('rain', touched);
    expect(decodeJournal(readFileSync(path, 'utf8'))).toMatchObject({ records: 2 });
  });

  test('is not opened when it is damaged, of another version, or no file', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'journal');
    writeFileSync(path, `${HEADER}x\n${encodeRecord({ id: 'a' })}`);
    expect(await codeOf(openJournal(path))).toBe('damaged');
    writeFileSync(path, 'perturb-journal 9\n');
    expect(await codeOf(openJournal(path))).toBe('other-version');
    expect(await codeOf(openJournal(directory))).toBe('not-usable');
    expect(await codeOf(openJournal(join(path, 'below')))).toBe('not-usable');
  });
});
