import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findParameter,
  fromAttributes,
  idFor,
  keyFor,
  mutatorName,
  toAttributes,
} from '../../../src/mutators/index.js';
import type { AttributeValue } from '../../../src/values/index.js';
import { runs } from '../../long.js';
import { attributeValue, mutator } from '../arbitrary.js';

const text = (value: string): AttributeValue => ({ type: 'string', value });

test('a mutator survives the way through its attributes', () => {
  fc.assert(
    fc.property(mutator, (one) => {
      expect(fromAttributes(one.id, toAttributes(one))).toEqual({ mutator: one, warnings: [] });
    }),
    { numRuns: runs(500) },
  );
}, 300_000);

test('any attributes make a mutator, and the second reading is as the first', () => {
  const known = fc.constantFrom(
    ...['name', 'layer', 'source.line', 'tags.a', 'params.', 'params.a', 'params.a.name'],
    ...['params.a.value_type', 'params.a.value_min', 'params.a.default_value', 'params.é.name'],
    ...['params.a.value_distribution.kind', 'params.a.value_distribution.option_set.x'],
  );
  const type = fc.constantFrom('Integer', 'Any', 'String').map(text);
  const entry = fc.tuple(
    known.map((key) => `mutator.${key}`),
    fc.oneof(attributeValue, type),
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const first = fromAttributes('x', new Map(entries));
      const second = fromAttributes('x', toAttributes(first.mutator));
      // What could not be read is not written.
      const { unreadable: _unreadable, ...readable } = first.mutator;
      expect(second.mutator).toEqual(readable);
      expect(fromAttributes('x', toAttributes(second.mutator))).toEqual(second);
    }),
    { numRuns: runs(1_000) },
  );
}, 300_000);

test('attributes are written in a fixed order', () => {
  const { mutator: wind } = fromAttributes(
    'wind',
    new Map<string, AttributeValue>([
      ['mutator.acme.rig', text('bench')],
      ['mutator.params.speed.units', text('m/s')],
      ['mutator.params.speed.value_type', text('Float')],
      ['mutator.params.speed.name', text('speed')],
      ['mutator.tags.drone', { type: 'boolean', value: true }],
      ['mutator.name', text('simulation-wind')],
    ]),
  );
  expect([...toAttributes(wind).keys()]).toEqual([
    'mutator.name',
    'mutator.tags.drone',
    'mutator.params.speed.name',
    'mutator.params.speed.value_type',
    'mutator.params.speed.units',
    'mutator.acme.rig',
  ]);
});

test('an objective means a parameter by name, or else by key; a mutator by name, or else by id', () => {
  const base = { type: 'integer', valueType: 'integer', attributes: new Map() } as const;
  const parameters = [
    { ...base, key: 'a', name: 'first' },
    { ...base, key: 'b', name: 'a' },
  ];
  expect(findParameter(parameters, 'a')?.key).toBe('b');
  expect(findParameter(parameters, 'b')?.key).toBe('b');
  expect(findParameter(parameters, 'c')).toBeUndefined();
  expect(mutatorName({ id: 'x', name: 'y' })).toBe('y');
  expect(mutatorName({ id: 'x' })).toBe('x');
});

test.each([
  ['speed', 'speed'],
  ['Wind speed (m/s)', 'Wind_speed_m_s'],
  ['größe.max', 'gro_e_max'],
  ['風', 'param'],
  ['taken', 'taken_3'],
])('the key for %j is %j', (name, key) => {
  expect(keyFor(name, new Set(['taken', 'taken_2']))).toBe(key);
});

test.each([
  ['simulation-wind', 'simulation-wind'],
  ['Wind, East (É)', 'wind-east-e'],
  ['風', '風'],
])('the id for %j is %j', (name, id) => {
  expect(idFor(name)).toBe(id);
});
