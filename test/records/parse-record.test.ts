import * as Type from 'typebox';
import { expect, test } from 'vitest';
import { objectSchema, parseRecord, stringifyRecord } from '../../src/records/index.js';

const TARGET = Type.Union([
  objectSchema({ kind: Type.Literal('text'), text: Type.String() }),
  objectSchema({
    kind: Type.Literal('key'),
    key: Type.Array(Type.String()),
    literal: Type.String(),
  }),
]);
const FORM = objectSchema({
  version: Type.Literal(1),
  targets: Type.Array(objectSchema({ name: Type.String(), target: TARGET })),
});

const record = (target: unknown, name: unknown = 'wind') => ({
  version: 1,
  targets: [
    { name: 'link', target: { kind: 'text', text: '' } },
    { name, target },
  ],
});

test('a record that fits is read as it was written', () => {
  const json = JSON.stringify(record({ kind: 'key', key: ['a'], literal: '5' }));
  const read = parseRecord(FORM, json);
  if ('problem' in read) throw new Error(read.problem);
  expect(stringifyRecord(FORM, read.record)).toBe(json);
});

test.each([
  [{ kind: 'text', text: 5 }, 'targets[1].target.text must be string'],
  [{ kind: 'key', key: [], literal: 5 }, 'targets[1].target.literal must be string'],
  [{ kind: 'key', key: ['a', 5], literal: '' }, 'targets[1].target.key[1] must be string'],
  [{ kind: 'key', text: 'a' }, 'targets[1].target must have required properties key, literal'],
  [{ key: ['a'], literal: '' }, 'targets[1].target must have required properties kind, text'],
  [{ kind: 'line' }, 'targets[1].target must have required properties text'],
  ['text', 'targets[1].target must be object'],
])('a mistake in a union is that of the form whose kind fits: %j', (target, problem) => {
  expect(parseRecord(FORM, JSON.stringify(record(target)))).toEqual({ problem });
});

test.each([
  [{ ...record({}), version: 2 }, 'format version 2'],
  [{ ...record({}), version: '1' }, 'version must be number'],
  [{ version: 1 }, 'must have required properties targets'],
  [record({ kind: 'text', text: '' }, 5), 'targets[1].name must be string'],
  [[], 'must be object'],
])('a record that does not fit is refused with its first mistake: %j', (value, problem) => {
  expect(parseRecord(FORM, JSON.stringify(value))).toEqual({ problem });
});
