import { expect, test } from 'vitest';
import { GrowingReader } from '../../src/session/growing/index.js';

/* Lines of a file that grows, in parts of any size. */

test('very many lines at once in an unknown format wait for a line that shows it', () => {
  const reader = new GrowingReader({}, 'app', 'app.log');
  const lines = Array.from({ length: 300_000 }, (_, at) => `${at}`);
  expect(reader.read(lines)).toEqual({});
  expect([reader.format, reader.isUnknown]).toEqual([undefined, true]);
});

test('a value without an effect on the format is told once', () => {
  const reader = new GrowingReader({ clock: 'publish' }, 'app', 'app.log');
  const line = 'time=2026-01-02T03:04:05Z level=info msg=ready';
  expect(reader.read([line]).problems).toEqual([
    { count: 0, message: '"clock" has no effect on the format logfmt: remove it' },
  ]);
  expect(reader.read([line]).problems ?? []).toEqual([]);
});

test('messages that are received before they are sent are tied once the sender is known', () => {
  const reader = new GrowingReader(
    { map: { name: '$.n', probe: '$.p' }, send: 'out=$.id', receive: 'in=$.id' },
    'app',
    'app.jsonl',
  );
  const line = (n: string, p: string) => JSON.stringify({ n, p, id: 'k' });
  const tied = (lines: readonly string[]) =>
    (reader.read(lines).records ?? []).filter(({ kind }) => kind === 'interaction');
  expect(tied([line('in', 'A'), line('in', 'B')])).toEqual([]);
  expect(tied([line('in', 'C')])).toEqual([]);
  expect(tied([line('out', 'D')])).toEqual(
    [1, 2, 3].map((receiver) => ({
      kind: 'interaction',
      from: 'app.jsonl:4',
      to: `app.jsonl:${receiver}`,
    })),
  );
});
