import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decodeJournal, encodeJournal } from '../../../src/durable/index.js';
import {
  decodeState,
  type MutatorRecord,
  openStateJournal,
  StateError,
  type StateJournal,
  type StateJournalOptions,
  stateFormat,
} from '../../../src/server/host/state-journal.js';
import { MUTATION, temporaryDirectory } from '../support.js';

const touched: MutatorRecord = { mutation: MUTATION, since: 1_700_000_000_000 };

const ids = fc.constantFrom('wind', 'links/a b%2F', '__proto__', 'ü🚀', '\ud800', 'a"\n');
const operations = fc.array(
  fc.record({ id: ids, since: fc.option(fc.nat(), { nil: undefined }) }),
  { maxLength: 20 },
);

/** What operations leave, and what each prefix of them does. */
function model(
  all: readonly { id: string; since: number | undefined }[],
): Map<string, MutatorRecord> {
  const entries = new Map<string, MutatorRecord>();
  for (const { id, since } of all) {
    if (since === undefined) entries.delete(id);
    else entries.set(id, { since });
  }
  return entries;
}

const openAt = async (
  path: string,
  more: Partial<StateJournalOptions> = {},
): Promise<StateJournal> => {
  const options = { mutators: ['wind', 'rain'], isExpected: false, ...more };
  const { journal, unusable } = await openStateJournal(path, options);
  if (unusable !== undefined) throw unusable;
  return journal;
};

test('a journal of today is read', () => {
  const text = `perturb-journal 2
9790269c {"id":"wind","touched":{"mutation":"m","since":4}}
a3837a6c {"id":"rain","touched":{"since":5}}
2ada8178 {"id":"wind"}
f41e92a1 {"records":3}
`;
  expect(decodeState(text)).toEqual({ entries: new Map([['rain', { since: 5 }]]) });
});

describe('a journal on the disk', () => {
  const open = async (
    path: string,
    more: Partial<StateJournalOptions> = {},
  ): Promise<StateJournal> => {
    const journal = await openAt(path, more);
    onTestFinished(() => journal.close());
    return journal;
  };

  test('remembers what was touched and not cleared, whatever the limit of its history', async () => {
    const path = join(temporaryDirectory(), 'journal');
    let number = 0;
    await fc.assert(
      fc.asyncProperty(operations, fc.nat(5), async (all, maxRecords) => {
        const file = `${path}-${number++}`;
        const journal = await openAt(file, { maxRecords: maxRecords });
        for (const { id, since } of all) {
          await (since === undefined ? journal.clear(id) : journal.touch(id, { since }));
          // On the disk by now.
          const onDisk = decodeState(readFileSync(file, 'utf8'));
          expect([onDisk.entries, onDisk.damage]).toEqual([journal.entries, undefined]);
        }
        expect(journal.entries).toEqual(model(all));
        const lines = readFileSync(file, 'utf8').split('\n').length - 3;
        expect(lines).toBeLessThanOrEqual(maxRecords + 1 + 6);
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

  test('knows that injections are stopped, also when it was written anew, until they are let in', async () => {
    const path = join(temporaryDirectory(), 'journal');
    const more = { maxRecords: 4 };
    const first = await openAt(path, more);
    await first.hold(7);
    for (let since = 0; since < 20; since += 1) await first.touch('wind', { since });
    await first.close();
    const next = await openAt(path, more);
    expect([next.held, [...next.entries.keys()]]).toEqual([7, ['wind']]);
    await next.hold(undefined);
    await next.close();
    expect((await open(path, more)).held).toBe(undefined);
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
    expect(second.damage).toBe('at least 2 of its records are missing');
    expect(readFileSync(`${path}.damaged`)).toEqual(lost);
    await second.close();
    // As if it were killed before anything is reset.
    const third = await open(path);
    expect([third.damage, [...third.entries.keys()]]).toEqual([
      undefined,
      ['gone', 'wind', 'rain'],
    ]);
    await third.touch('snow', touched);
    expect(decodeJournal(stateFormat, readFileSync(path, 'utf8')).records).toHaveLength(4);
  });

  test.each(['perturb-jourmal 2', 'perturb-journal 3', ''])(
    'whose first line is %j still has what it recorded, of mutators of another manifest too',
    async (line) => {
      const path = join(temporaryDirectory(), 'journal');
      const first = await openAt(path);
      await first.touch('gone', touched);
      await first.hold(7);
      await first.close();
      writeFileSync(path, readFileSync(path, 'utf8').replace('perturb-journal 2', line));
      const { damage, entries, held } = await open(path);
      expect([damage, [...entries.keys()], held]).toEqual([
        'it is not a journal',
        ['gone', 'wind', 'rain'],
        7,
      ]);
    },
  );

  test.each([
    ['{"id":7}', 'line 3: id must be string'],
    ['{}', 'line 3: must have required properties id'],
    ['{"id":"wind","touched":{"since":"today"}}', 'line 3: touched.since must be number'],
    ['{"held":"today"}', 'line 3: held must be number'],
    ['not JSON', "line 3: not JSON: JSON value expected but got 'n' at position 0"],
  ])('with the record %s, which another version wrote, has every mutator', async (json, damage) => {
    const path = join(temporaryDirectory(), 'journal');
    writeFileSync(path, encodeJournal({ ...stateFormat, encode: () => json }, [{ id: '' }]));
    const journal = await open(path);
    expect([journal.damage, [...journal.entries.keys()]]).toEqual([damage, ['wind', 'rain']]);
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
    writeFileSync(path, encodeJournal(stateFormat, []));
    await expect(openAt(directory)).rejects.toThrow(StateError);
    await expect(openAt(join(path, 'below'))).rejects.toMatchObject({ code: 'not-usable' });
  });
});
