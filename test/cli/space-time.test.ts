import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluation/index.js';
import { excerptOf, findCausalPath } from '../../src/excerpt/index.js';
import { parse } from '../../src/expression/index.js';
import { drawEvidence } from '../../src/reporters/results/index.js';
import { spaceTimeText } from '../../src/reporters/results/space-time.js';
import { createPaint, glyphsFor } from '../../src/reporters/terminal/paint.js';
import { evaluationPart } from '../../src/results/index.js';
import { type Session, SessionBuilder } from '../../src/session/index.js';

/** A session of events `PROBE name` and interactions between them by name. */
function sessionOf(events: readonly string[], interactions: readonly string[] = []): Session {
  const builder = new SessionBuilder();
  const numbers = new Map(
    events.map((event) => {
      const [, probe = '', name = ''] = /^(\S+) (.+)$/.exec(event) ?? [];
      return [name, builder.event({ probe, name })];
    }),
  );
  for (const interaction of interactions) {
    const [from, to] = interaction.split(' -> ').map((name) => numbers.get(name) as number);
    builder.interaction(from as number, to as number);
  }
  return builder.build();
}

/** The diagram of a binding, `PROBE place` for each label. */
function draw(
  session: Session,
  binding: Readonly<Record<string, string>>,
  width = 80,
  glyphs = glyphsFor(),
): string {
  const places = Object.entries(binding).map(([label, place]) => {
    const [probe = '', seq = ''] = place.split(' ');
    return [label, { probe, seq: Number(seq) }] as const;
  });
  return spaceTimeText(excerptOf(session, Object.fromEntries(places)), {
    width,
    glyphs,
    textWidth: width,
    paint: createPaint(false),
  });
}

test('an interaction, and its reply', () => {
  const session = sessionOf(
    ['client ask', 'client got', 'server asked', 'server reply'],
    ['ask -> asked', 'reply -> got'],
  );
  expect(draw(session, { a: 'client 0', b: 'client 1', c: 'server 0' })).toBe(`client  server
●       │         a: ask #0
├──────▶●         c: asked #0
│       ●         reply #1
●◀──────┤         b: got #1
`);
});

test('events are found by a seq beyond the doubles', () => {
  const builder = new SessionBuilder();
  for (const [at, seq] of [2n ** 60n, 2n ** 60n + 24n].entries()) {
    builder.event({ probe: 'P', name: `E${at}`, seq });
  }
  const place = { probe: 'P', seq: '1152921504606847000' };
  const { events } = excerptOf(builder.build(), { a: place });
  expect(events.map(({ name, seq }) => [name, seq])).toEqual([['E1', place.seq]]);
});

test('a way over a third probe crosses what lies between', () => {
  const session = sessionOf(
    ['A start', 'C on', 'C tick', 'B end', 'B look'],
    ['start -> on', 'tick -> end'],
  );
  expect(draw(session, { c: 'C 1', b: 'B 0', a: 'A 0' })).toBe(`A     C     B
●     │     │       a: start #0
├────▶●     │       on #0
│     ●     │       c: tick #1
│     ├────▶●       b: end #0
`);
  const fan = sessionOf(['A x', 'A x2', 'B y', 'C z'], ['x -> y', 'x2 -> z']);
  expect(draw(fan, { a: 'A 0', a2: 'A 1', b: 'B 0', c: 'C 0' })).toMatchInlineSnapshot(`
    "A     B     C
    ●     │     │       a: x #0
    ├────▶●     │       b: y #0
    ●     │     │       a2: x2 #1
    ├─────┼────▶●       c: z #0
    "
  `);
});

test('messages that cross: where a line would say too much, the sender is named', () => {
  const session = sessionOf(['A a1', 'A a2', 'B b1', 'B b2'], ['a1 -> b2', 'b1 -> a2']);
  const binding = { a: 'A 0', b: 'B 0', c: 'A 1', d: 'B 1' };
  expect(draw(session, binding)).toBe(`A     B
●     │       a: a1 #0
│     ●       b: b1 #0
●◀────┤       c: a2 #1
│     ●       d: b2 #1 from A #0
`);
});

test('of a long way the middle is left out', () => {
  const probes = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
  const session = sessionOf(
    probes.flatMap((probe) => [`${probe} in${probe}`, `${probe} out${probe}`]),
    probes.slice(1).map((probe, at) => `out${probes[at]} -> in${probe}`),
  );
  expect(draw(session, { first: 'A 0', last: 'H 1' }, 60)).toMatchInlineSnapshot(`
    "A     B     C     F     G     H
    ●     │     │     │     │     │       first: inA #0
    ●     │     │     │     │     │       outA #1
    ├────▶●     │     │     │     │       inB #0
    │     ●     │     │     │     │       outB #1
    │     ├────▶●     │     │     │       inC #0
    ┊     ┊     ┊     ┊     ┊     ┊       3 interactions are left out
    │     │     │     ●     │     │       outF #1
    │     │     │     ├────▶●     │       inG #0
    │     │     │     │     ●     │       outG #1
    │     │     │     │     ├────▶●       inH #0
    │     │     │     │     │     ●       last: outH #1
    "
  `);
});

test('long names are cut to the width', () => {
  const long = 'a-very-long-name-of-a-service-in-a-data-centre';
  const session = sessionOf(
    [`${long}-1 ${'x'.repeat(80)}`, `${long}-2 y`],
    [`${'x'.repeat(80)} -> y`],
  );
  const text = draw(session, { a: `${long}-1 0`, b: `${long}-2 0` }, 60);
  expect(text).toMatchInlineSnapshot(`
    "a-very…ntre-1  a-very…ntre-2
    ●              │                a: xxxxxxxxxxxxxxxxxxxxx… #0
    ├─────────────▶●                b: y #0
    "
  `);
});

test('in ASCII', () => {
  const fan = sessionOf(['A x', 'A x2', 'B y', 'C z'], ['x -> y', 'x2 -> z']);
  const binding = { a: 'A 0', a2: 'A 1', b: 'B 0', c: 'C 0' };
  expect(draw(fan, binding, 80, glyphsFor(true))).toBe(`A     B     C
o     |     |       a: x #0
|---->o     |       b: y #0
o     |     |       a2: x2 #1
|-----+---->o       c: z #0
`);
});

test('what is cut off in ASCII stays ASCII', () => {
  const session = sessionOf([`${'p'.repeat(80)} ${'x'.repeat(80)}`]);
  expect(draw(session, { a: `${'p'.repeat(80)} 0` }, 60, glyphsFor(true))).toMatch(
    /^[\n\x20-\x7e]*$/,
  );
});

/** A session of events `PROBE name` with their times in microseconds, and interactions between them by name. */
function timedSession(events: Readonly<Record<string, number>>, interactions: readonly string[]) {
  const builder = new SessionBuilder();
  const numbers = new Map(
    Object.entries(events).map(([event, time]) => {
      const [probe = '', name = ''] = event.split(' ');
      return [name, builder.event({ probe, name, time: BigInt(time) * 1_000n })];
    }),
  );
  for (const interaction of interactions) {
    const [from, to] = interaction.split(' -> ').map((name) => numbers.get(name) as number);
    builder.interaction(from as number, to as number);
  }
  return builder.build();
}

test('events with times lie along an axis of time, which is broken where nothing happens', () => {
  const events = {
    'A ask': 100,
    'B asked': 1_350,
    'B look': 2_600,
    'B reply': 348_100,
    'A got': 349_000,
  };
  const session = timedSession(events, ['ask -> asked', 'reply -> got']);
  const binding = { a: 'A 0', b: 'B 0', c: 'B 1', d: 'B 2', e: 'A 1' };
  expect(draw(session, binding)).toBe(`         A     B
      0  ●     │       a: ask #0
+1.25ms  ├────▶●       b: asked #0
 +2.5ms  │     ●       c: look #1
         ┊     ┊       346ms later
 +348ms  │     ●       d: reply #2
 +349ms  ●◀────┤       e: got #1
`);
  expect(draw(session, binding, 80, glyphsFor(true))).toMatch(/^[\n\x20-\x7e]*$/);
});

test('rows follow their times, and the axis leaves less room for names', () => {
  const long = 'x'.repeat(80);
  const session = timedSession({ 'A far': 0, [`B ${long}`]: 50_000, 'C near': 10_000 }, [
    `far -> ${long}`,
  ]);
  const text = draw(session, { a: 'A 0', b: 'B 0', c: 'C 0' }, 60);
  expect(text).toBe(`       A     C     B
    0  ●     │     │       a: far #0
+10ms  │     ●     │       c: near #0
+50ms  ├─────┼────▶●       b: ${'x'.repeat(26)}… #0
`);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(60);
});

test.each([
  ['contradict the order', { 'A ask': 900, 'B asked': 100 }],
  ['are all the same', { 'A ask': 100, 'B asked': 100 }],
])('there is no axis of times that %s', (_, events) => {
  expect(draw(timedSession(events, ['ask -> asked']), { a: 'A 0', b: 'B 0' })).toBe(`A     B
●     │       a: ask #0
├────▶●       b: asked #0
`);
});

test('labels of one event share its row', () => {
  const session = sessionOf(['A x']);
  expect(draw(session, { a: 'A 0', b: 'A 0' })).toBe('A\n●       a, b: x #0\n');
});

/** A random session whose interactions lead from earlier to later events. */
const sessions = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 14 }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 14 }),
  )
  .map(([probes, pairs]) => {
    const builder = new SessionBuilder();
    const events = probes.map((probe, at) => builder.event({ probe: `P${probe}`, name: `e${at}` }));
    const edges = pairs
      .map(([a, b]) => [a % events.length, b % events.length].sort((x, y) => x - y))
      .filter(([a, b]) => a !== b) as [number, number][];
    for (const [from, to] of edges) builder.interaction(from, to);
    return { session: builder.build(), probes, edges };
  });

test('there is a way where a plain closure finds one, and each row follows what it depends on', () => {
  fc.assert(
    fc.property(sessions, ({ session, probes, edges }) => {
      const count = probes.length;
      const before = Array.from({ length: count }, () => new Set<number>());
      for (let b = 0; b < count; b++) {
        for (let a = 0; a < b; a++) {
          const leads = probes[a] === probes[b] || edges.some(([x, y]) => x === a && y === b);
          if (leads) for (const one of [a, ...(before[a] as Set<number>)]) before[b]?.add(one);
        }
      }
      const placed = probes.map((probe, at) => {
        const seq = probes.slice(0, at).filter((other) => other === probe).length;
        const start = session.start[session.probes.indexOf(`P${probe}`)] as number;
        return { event: start + seq, place: { probe: `P${probe}`, seq } };
      });
      for (let b = 0; b < count; b++) {
        for (let a = 0; a < count; a++) {
          if (a === b) continue;
          const path = findCausalPath(
            session,
            placed[a]?.event as number,
            placed[b]?.event as number,
          );
          expect(path !== undefined).toBe(before[b]?.has(a));
        }
      }
      const binding = Object.fromEntries(placed.map(({ place }, at) => [`l${at}`, place]));
      const { events } = excerptOf(session, binding);
      const order = events.map(({ labels }) => Number(labels[0]?.slice(1)));
      expect([...order].sort((x, y) => x - y)).toEqual([...probes.keys()]);
      for (const [row, event] of order.entries()) {
        for (const later of order.slice(row)) expect(before[event]?.has(later)).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});

test('below the diagram stands when bound events were, and what the expression mentions of them', () => {
  const builder = new SessionBuilder();
  const attributes = { 'trace.id': '4bf9', 'span.id': '00f0', size: 5, ok: true, unasked: 'x' };
  builder.event({ probe: 'P', name: 'asked', time: 1_772_443_800_120_000_000n, attributes });
  builder.event({ probe: 'P', name: 'told', time: 1_500_000n, attributes: { size: 0.5 } });
  builder.event({ probe: 'P', name: 'over' });
  const session = builder.build();
  const { expression } = parse(
    "MATCH (name = 'asked' AND ok = true) AS a, (name = 'told') AS b, (name = 'over') AS c FILTER a.size > b.size",
  );
  if (expression === undefined) throw new Error('no expression');
  const evaluation = evaluate(session, expression, { evidence: 1 });
  const excerpts = evaluation.evidence.map(({ binding }) => excerptOf(session, binding));
  const look = { width: 80, glyphs: glyphsFor(), textWidth: 80, paint: createPaint(false) };
  expect(drawEvidence(evaluationPart(evaluation, excerpts), look)).toBe(`a binding:
P
●       a: asked #0
●       b: told #1
●       c: over #2

a: time 2026-03-02T09:30:00.120Z, trace.id 4bf9, span.id 00f0, ok true, size 5
b: time 1.5ms, size 0.5
`);
});
