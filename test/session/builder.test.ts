import { expect, test } from 'vitest';
import {
  type Column,
  integerAt,
  SessionBuilder,
  SessionError,
  ValueKind,
} from '../../src/session/index.js';

test('events are numbered probe by probe, in the order of seq', () => {
  const builder = new SessionBuilder({ name: 'flight 7' });
  const late = builder.event({ probe: 'PX4', name: 'ARM', seq: 9 });
  const sent = builder.event({ probe: 'GAZEBO', name: 'GUST', attributes: { force: 8.5 } });
  builder.event({ probe: 'PX4', name: 'BOOT', seq: 2n, time: 1_700_000_000_123_456_789n });
  builder.interaction(sent, late);
  const session = builder.build();
  expect(session).toMatchObject({ name: 'flight 7', probes: ['GAZEBO', 'PX4'], size: 3 });
  expect([...session.start]).toEqual([0, 1, 3]);
  const names = session.columns.get('name');
  expect([...(names?.numbers ?? [])].map((text) => session.texts[text])).toEqual([
    'GUST',
    'BOOT',
    'ARM',
  ]);
  expect([...(session.columns.get('force')?.kinds ?? [])]).toEqual([
    ValueKind.float,
    ValueKind.missing,
    ValueKind.missing,
  ]);
  expect(session.columns.get('force')?.numbers[0]).toBe(8.5);
  const time = session.columns.get('time');
  expect(time?.exact?.integers).toEqual(new BigInt64Array([0n, 1_700_000_000_123_456_789n, 0n]));
  expect([...session.order.receives]).toEqual([2]);
  expect([...session.order.edgeFrom]).toEqual([0]);
});

test('a session can be built while it grows, and one that is built stays as it is', () => {
  const builder = new SessionBuilder();
  const a = builder.event({ probe: 'A', name: 'one' });
  const first = builder.build();
  builder.interaction(a, builder.event({ probe: 'B', name: 'two', attributes: { x: 1n } }));
  const second = builder.build();
  expect([first.size, first.texts]).toEqual([1, ['A', 'one']]);
  expect([second.size, second.order.receives.length]).toEqual([2, 1]);
});

test('values keep their kinds; NaN is missing', () => {
  const builder = new SessionBuilder();
  const attributes = {
    whole: 5n,
    float: 5,
    nan: Number.NaN,
    big: { type: 'bigInteger', value: 2n ** 100n + 1n },
    when: { type: 'nanoseconds', value: 2n ** 64n - 1n },
    clock: { type: 'logicalTime', value: (1n << 128n) + (2n << 64n) + 3n },
    yes: true,
  } as const;
  builder.event({ probe: 'A', name: 'x', attributes });
  const { columns, texts } = builder.build();
  const kind = (name: string) => columns.get(name)?.kinds[0];
  expect(kind('whole')).toBe(ValueKind.integer);
  expect(kind('float')).toBe(ValueKind.float);
  expect(columns.has('nan')).toBe(false);
  expect(integerAt(columns.get('big') as Column, 0)).toBe(2n ** 100n + 1n);
  expect(integerAt(columns.get('when') as Column, 0)).toBe(2n ** 64n - 1n);
  expect([kind('clock'), texts[columns.get('clock')?.numbers[0] ?? -1]]).toEqual([
    ValueKind.other,
    '0:1:2:3',
  ]);
  expect([kind('yes'), columns.get('yes')?.numbers[0]]).toEqual([ValueKind.boolean, 1]);
});

test('what has no order is an error', () => {
  const builder = new SessionBuilder();
  const a = builder.event({ probe: 'A', name: 'x' });
  const b = builder.event({ probe: 'B', name: 'y' });
  builder.interaction(a, b);
  builder.interaction(b, a);
  expect(() => builder.build()).toThrow(SessionError);
  const twice = new SessionBuilder();
  twice.event({ probe: 'A', name: 'x', seq: 1 });
  twice.event({ probe: 'A', name: 'x', seq: 1 });
  expect(() => twice.build()).toThrow('two events of "A" have the same "seq"');
  const mixed = new SessionBuilder();
  mixed.event({ probe: 'A', name: 'x', seq: 1 });
  mixed.event({ probe: 'A', name: 'x' });
  expect(() => mixed.build()).toThrow('has no "seq", unlike other events of that probe');
});

test('an attribute that few events have costs little and reads as any other', () => {
  const builder = new SessionBuilder();
  for (let index = 0; index < 100; index++) {
    builder.event({
      probe: 'A',
      name: 'x',
      attributes: index === 70 ? { rare: 2n ** 60n + 1n } : {},
    });
  }
  const rare = builder.build().columns.get('rare');
  expect(rare?.kinds).toHaveLength(100);
  expect(rare?.kinds[70]).toBe(ValueKind.integer);
  expect(integerAt(rare as Column, 70)).toBe(2n ** 60n + 1n);
  expect(rare?.exact?.integers.filter((one) => one !== 0n)).toHaveLength(1);
});

test('a seq has 64 bits', () => {
  const builder = new SessionBuilder();
  const seq = 2n ** 63n - 1n;
  builder.event({ probe: 'A', name: 'x', seq });
  builder.event({ probe: 'A', name: 'y', seq: seq - 1n });
  expect(() => builder.event({ probe: 'A', name: 'z', seq: seq + 1n })).toThrow(
    'invalid seq 9223372036854775808: expected a 64-bit integer',
  );
  const { size, columns } = builder.build();
  expect([size, integerAt(columns.get('seq') as Column, 0)]).toEqual([2, seq - 1n]);
});

test('beside a timeline, no attribute is called so', () => {
  const builder = new SessionBuilder();
  const attributes = { timeline: 5n };
  expect(() => builder.event({ probe: 'A', timeline: 'r', name: 'x', attributes })).toThrow(
    '"timeline" is a reserved attribute name',
  );
  builder.event({ probe: 'A', name: 'x', attributes });
  expect(builder.build().timelines.name).toEqual(Int32Array.of(-1));
  builder.event({ probe: 'A', timeline: 'r', name: 'x' });
  expect(() => builder.build()).toThrow('an event has an attribute "timeline"');
});

test('a name of an own part of an event is no attribute', () => {
  const builder = new SessionBuilder();
  const event = { probe: 'A', name: 'x', attributes: { seq: 1n } };
  expect(() => builder.event(event)).toThrow('"seq" is a reserved attribute name');
});
