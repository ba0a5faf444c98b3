import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReadOptions, readSession, type Session } from '../../src/session/index.js';
import { readSessionParts } from '../../src/session/read-session.js';
import { roll } from '../dice.js';
import { isLong, runs } from '../long.js';
import { closure, plain } from './plain.js';
import { type MadeSpan, madeId, makeRequests, orderedPairs, WRITERS } from './requests.js';

/** The pairs of events that a session orders, called as `orderedPairs` calls them. */
function pairsOf(session: Session): Set<string> {
  const names = plain(session).events.map((event) => {
    const phase = event['span.start']
      ? 'start'
      : event['span.end']
        ? 'end'
        : event['name']?.slice(7);
    return `${madeId(event['span.id']?.slice(7) ?? '')} ${phase}`;
  });
  const isBefore = closure(session);
  return new Set(
    names.flatMap((later, to) =>
      names.flatMap((earlier, from) => (isBefore(from, to) ? [`${earlier} -> ${later}`] : [])),
    ),
  );
}

test.each(Object.keys(WRITERS))(
  '%s: what is ordered, and no more, in requests side by side',
  async (format) => {
    const write = WRITERS[format] as (typeof WRITERS)[string];
    let ordered = 0;
    for (let seed = 1; seed <= (isLong ? 2_000 : 30); seed++) {
      const spans = makeRequests(roll(seed), 2);
      const { session, problems, disagreements } = await readSession(write(spans));
      expect(problems).toEqual([]);
      expect(disagreements).toEqual([]);
      const expected = orderedPairs(spans);
      const found = pairsOf(session as Session);
      const missing = [...expected].filter((pair) => !found.has(pair));
      // What happened within a span is also ordered among the spans that share its timeline.
      const invented = [...found].filter((pair) => !/moment/.test(pair) && !expected.has(pair));
      expect({ seed, missing, invented }).toEqual({ seed, missing: [], invented: [] });
      ordered += found.size;
    }
    if (!isLong) expect(ordered).toBe(8_664);
  },
);

type Writer = (typeof WRITERS)[string];

const made = (
  id: string,
  service: string,
  [start, end]: readonly [number, number],
  more: Partial<MadeSpan> = {},
): MadeSpan => ({
  ...{ trace: 't', id, service, instance: service, start, end, moments: [] },
  ...more,
});

const readMade = (spans: readonly MadeSpan[], options: ReadOptions = {}) =>
  readSession((WRITERS['otlp'] as Writer)(spans), options);

test('what a span called through one that outlived it lies within both', async () => {
  const spans = [
    made('outer', 'A', [1, 5]),
    made('late', 'A', [2, 9], { parent: 'outer' }),
    made('inner', 'A', [3, 4], { parent: 'late' }),
  ];
  const { session } = await readMade(spans);
  expect(pairsOf(session as Session)).toEqual(orderedPairs(spans));
});

test('clocks that disagree: each return that is left out counts, and only where the rest forbids it', async () => {
  let dropped = 0;
  let wentBack = 0;
  // Most clocks that are wrong contradict nothing: these do.
  const seeds = isLong
    ? Array.from({ length: 2_000 }, (_, at) => at + 1)
    : [...Array(20).keys(), 95, 119, 164, 185, 297];
  for (const seed of seeds) {
    const dice = roll(seed);
    // Two services of one instance each, which call each other often.
    const made = makeRequests(dice, 2).map((span) => {
      const service = span.service === 'web' ? 'web' : 'cart';
      return { ...span, service, instance: service };
    });
    const spans = made.map((span) => {
      // A clock that is wrong all the time by the same would contradict nothing.
      const skew = dice.upTo(12);
      const [start, end] = [span.start + skew, span.end + skew];
      return { ...span, start, end, moments: [] };
    });
    const written = (WRITERS['otlp'] as Writer)(spans);
    const { session, disagreements, setBacks } = await readSession(written);
    for (const { orders } of setBacks) wentBack += orders;
    const ordered = pairsOf(session as Session);
    const clockOf = ({ service, instance }: MadeSpan) =>
      spans.some((other) => other.service === service && other.instance !== instance)
        ? `${service} ${instance}`
        : service;
    const wrong: string[] = [];
    const expected = new Map<string, { returns: number; offset: bigint }>();
    for (const child of spans) {
      const parent = spans.find(({ id }) => id === child.parent);
      if (parent === undefined) continue;
      if (!ordered.has(`${parent.id} start -> ${child.id} start`)) wrong.push(child.id);
      const isReturn = child.instance !== parent.instance && child.end <= parent.end;
      if (!isReturn || ordered.has(`${child.id} end -> ${parent.id} end`)) continue;
      if (!ordered.has(`${parent.id} end -> ${child.id} end`)) wrong.push(child.id);
      const pair = `${clockOf(child)} ${clockOf(parent)}`;
      const known = expected.get(pair) ?? { returns: 0, offset: 0n };
      const least = BigInt(parent.end - child.end) * 1000n + 1n;
      const offset = least > known.offset ? least : known.offset;
      expected.set(pair, { returns: known.returns + 1, offset });
    }
    const told = disagreements.map(({ child, parent, ...one }) => [`${child} ${parent}`, one]);
    expect([new Map(told as never), wrong]).toEqual([expected, []]);
    dropped += disagreements.reduce((sum, { returns }) => sum + returns, 0);
  }
  if (!isLong) expect([dropped, wentBack]).toEqual([4, 4]);
});

/** Spans at two services with clocks of any kind, in two traces that links may tie. */
const anySpans = fc
  .array(
    fc.record({
      trace: fc.nat(1),
      service: fc.constantFrom('A', 'B'),
      start: fc.integer({ min: 10, max: 20 }),
      took: fc.integer({ min: -2, max: 4 }),
      parent: fc.option(fc.nat(7)),
      link: fc.option(fc.nat(7), { freq: 2 }),
      // Half of them name none but those before, so that no cause comes of its effect.
      isSound: fc.boolean(),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((list) => {
    const isSound = list[0]?.isSound === true;
    const spans: MadeSpan[] = list.map(({ trace, service, start, took }, at) => ({
      ...{ trace: `t${trace}`, id: `s${at}`, service, instance: service },
      ...{ start, end: start + took, moments: [] },
    }));
    return spans.map((span, at) => {
      const known = (other: number | null | undefined) =>
        typeof other === 'number' && other !== at && (other < at || !isSound)
          ? spans[other]
          : undefined;
      const [parent, link] = [known(list[at]?.parent), known(list[at]?.link)];
      // Links of links are left away, of which the rules say nothing.
      return { ...span, ...(parent && { parent: parent.id }), ...(link && { links: [link] }) };
    });
  });

const contradicts = (pairs: ReadonlySet<string>) =>
  [...pairs].some((pair) => pair.split(' -> ')[0] === pair.split(' -> ')[1]);

test('clocks of any kind: what is a cause comes first, and where nothing contradicts the rules, they hold', async () => {
  const seen = { sound: 0, setBack: 0, wrong: 0 };
  await fc.assert(
    fc.asyncProperty(anySpans, async (spans) => {
      const { session, problems, disagreements, setBacks } = await readSession(
        (WRITERS['otlp'] as Writer)(spans),
        { reading: { from: 'otlp' } },
      );
      const byTime = await readSession((WRITERS['otlp'] as Writer)(spans), {
        ...{ reading: { from: 'otlp' }, spans: { order: 'time' } },
      });
      expect(byTime.problems).toEqual([]);
      const causes = orderedPairs(spans, 'causes');
      if (contradicts(causes)) {
        seen.wrong++;
        expect(problems[0]?.message).toMatch(/start before (itself|themselves)$/);
        return;
      }
      expect(problems).toEqual([]);
      const found = pairsOf(session as Session);
      const all = orderedPairs(spans);
      expect([...causes].filter((pair) => !found.has(pair))).toEqual([]);
      expect([...found].filter((pair) => !all.has(pair))).toEqual([]);
      expect(setBacks.length > 0).toBe(contradicts(orderedPairs(spans, 'clocks of hosts')));
      expect(setBacks.length + disagreements.length > 0).toBe(contradicts(all));
      if (!contradicts(all)) expect(found).toEqual(all);
      seen[setBacks.length > 0 ? 'setBack' : 'sound']++;
    }),
    { numRuns: 4 * runs(5_000) },
  );
  expect(Object.values(seen).filter((count) => count < 5)).toEqual([]);
});

/** As A's clock has it the second call is before the first, and as B's has it the first. */
const contrary = [
  made('a1', 'A', [3, 4]),
  made('b1', 'B', [1, 2], { parent: 'a1' }),
  made('b2', 'B', [3, 4], { moments: [3] }),
  made('a2', 'A', [1, 2], { parent: 'b2' }),
];

/** The events of a session, each with its timeline. */
const placesOf = (session: Session | undefined) =>
  plain(session as Session).events.map((event) => {
    const phase = event['span.start'] ? 'start' : event['span.end'] ? 'end' : 'moment';
    return `${event['timeline']?.slice(7)}: ${event['span.id']?.slice(7)} ${phase}`;
  });

const timelinesOf = (session: Session | undefined) =>
  [...new Set(placesOf(session).map((place) => place.split(':')[0]))].sort();

const ringOf = (told: string) => ({
  ...{ problems: [{ count: 1, message: told }], dropped: { record: 0, event: 0, interaction: 1 } },
  setBacks: [],
});

test('a clock that went back: calls hold, each span has its timeline, and one order is left out', async () => {
  const { session, problems, setBacks } = await readMade(contrary);
  expect(problems).toEqual([]);
  expect(placesOf(session)).toEqual([
    't: a1 start',
    't: a1 end',
    't #2: a2 start',
    't #2: a2 end',
    't: b2 start',
    't: b2 moment',
    't: b2 end',
    't #2: b1 start',
    't #2: b1 end',
  ]);
  const found = pairsOf(session as Session);
  expect([...orderedPairs(contrary, 'causes')].filter((pair) => !found.has(pair))).toEqual([]);
  expect([found.has('a2 end -> a1 start'), found.has('b1 end -> b2 start')]).toEqual([true, false]);
  expect(setBacks).toEqual([{ clock: 'B', orders: 1 }]);
  for (const write of Object.values(WRITERS)) {
    const reading = await readSession(write(contrary));
    expect([reading.problems, reading.setBacks]).toEqual([[], setBacks]);
    expect(pairsOf(reading.session as Session)).toEqual(found);
  }
  // Without one of the calls nothing contradicts the clocks.
  const sound = await readMade(contrary.slice(0, 3));
  expect(timelinesOf(sound.session)).toEqual(['t']);
  expect(sound.setBacks).toEqual([]);
});

test.each([
  ['of spans alone', [], 2],
  ['behind events of its own', [{ probe: 'A', timeline: 't', name: 'own' }], 3],
])(
  'what another file ties to a place %s stays tied where the timeline is split',
  async (_, own, place) => {
    // As the timeline is with sound clocks: a2 starts and ends, then a1 does.
    const notes = [
      ...own,
      { probe: 'Z', name: 'z', id: 'z' },
      { from: ['A', 't', place], to: 'z' },
    ];
    const { session, problems } = await readSessionParts([
      {
        file: 'others.jsonl',
        input: `{"probe":"A","timeline":"${own.length === 0 ? 'u' : 't'}","name":"other"}\n`,
      },
      { file: 'spans.json', input: (WRITERS['otlp'] as Writer)(contrary) },
      { file: 'notes.jsonl', input: notes.map((one) => `${JSON.stringify(one)}\n`).join('') },
    ]);
    expect(problems).toEqual([]);
    const { events } = plain(session as Session);
    const isBefore = closure(session as Session);
    const z = events.findIndex((event) => event['name'] === 'string z');
    const a1 = events.findIndex(
      (event) => event['span.id'] === 'string a1' && event['span.start'] !== undefined,
    );
    expect([z >= 0, isBefore(a1, z)]).toEqual([true, true]);
  },
);

/** One session of spans and of interactions, each between two events of timelines. */
const readTied = (
  spans: readonly MadeSpan[],
  ties: readonly (readonly [MadeSpan, number, MadeSpan, number])[],
) =>
  readSessionParts([
    { file: 'spans.json', input: (WRITERS['otlp'] as Writer)(spans) },
    {
      file: 'ties.jsonl',
      input: ties
        .map(([sender, at, receiver, to]) => ({
          from: [sender.service, sender.trace, at],
          to: [receiver.service, receiver.trace, to],
        }))
        .map((one) => `${JSON.stringify(one)}\n`)
        .join(''),
    },
  ]);

test.each(['ABC', 'ACB', 'BAC', 'BCA', 'CAB', 'CBA'])(
  'what another file ties to spans holds against clocks, whatever the hosts are called: %s',
  async ([x = '', y = '', z = '']) => {
    const first = made('first', x, [1, 2]);
    const second = made('second', x, [3, 4]);
    const called = made('called', y, [3, 3], { parent: 'second' });
    const one = await readTied([first, second, called], [[called, 0, first, 0]]);
    expect(one).toMatchObject({ problems: [], setBacks: [{ clock: x, orders: 1 }] });
    expect(pairsOf(one.session as Session)).toContain('called start -> first start');
    // Of two traces that only these ties join.
    const caller = made('caller', y, [3, 3], { trace: 'u' });
    const far = made('far', z, [3, 3], { trace: 'u', parent: 'caller' });
    const two = await readTied(
      [first, second, caller, far],
      [
        [second, 2, caller, 0],
        [far, 0, first, 0],
      ],
    );
    expect(two).toMatchObject({ problems: [], setBacks: [{ clock: x, orders: 1 }] });
    expect(pairsOf(two.session as Session)).toContain('second start -> first start');
    // Without a call, it contradicts the timeline.
    expect((await readTied([first, second], [[second, 2, first, 0]])).problems).toEqual([
      {
        file: 'ties.jsonl',
        line: 1,
        message: 'the interaction closes a cycle, so an event would come before itself',
      },
    ]);
    // What it called itself cannot come before it.
    const inner = made('inner', y, [1, 1], { parent: 'first' });
    expect((await readTied([first, inner], [[inner, 0, first, 0]])).problems).toEqual([
      {
        count: 1,
        message:
          'the calls and links of the span "inner" of the trace "t" form a cycle, perhaps through an interaction in another file, so the span would start before itself',
      },
    ]);
  },
);

test.each([
  ['A', ['a2', 'a1']],
  ['B', ['b1', 'b2']],
] as const)(
  'a clock that went back within a span at %s: what it called still lies within it',
  async (service, [first, second]) => {
    const spans = [
      made('root', service, [1, 9]),
      ...contrary.map((span) => (span.parent ? span : { ...span, parent: 'root' })),
    ];
    const { session, problems, setBacks } = await readMade(spans);
    expect([problems, setBacks.length]).toEqual([[], 1]);
    const found = pairsOf(session as Session);
    const missing = [first, second]
      .flatMap((id) => [`root start -> ${id} start`, `${id} end -> root end`])
      .filter((pair) => !found.has(pair));
    expect(missing).toEqual([]);
  },
);

test('traces that links tie may contradict a clock only together', async () => {
  const x = made('x', 'A', [1, 2]);
  const u = made('u', 'B', [1, 2], { trace: 't2' });
  const y = made('y', 'A', [3, 4]);
  const v = made('v', 'B', [3, 4], { trace: 't2' });
  const far = [made('f', 'A', [1, 2], { trace: 't3' }), made('g', 'A', [3, 4], { trace: 't3' })];
  const spans = [{ ...x, links: [v] }, y, { ...u, links: [y] }, v, ...far];
  const { session, problems, setBacks } = await readMade(spans);
  expect(problems).toEqual([]);
  const found = pairsOf(session as Session);
  expect([found.has('v start -> x start'), found.has('y start -> u start')]).toEqual([true, true]);
  expect(setBacks).toEqual([{ clock: 'B', orders: 1 }]);
  expect(timelinesOf(session)).toEqual(['t', 't2', 't2 #2', 't3']);
  // As u calls v, B's clock has no say.
  const called = await readMade(spans.map((span) => (span === v ? { ...v, parent: 'u' } : span)));
  expect(called.problems).toEqual([]);
  expect(called.setBacks).toEqual([{ clock: 'A', orders: 1 }]);
  expect(timelinesOf(called.session)).toEqual(['t', 't #2', 't2', 't2 #2', 't3']);
});

test.each([
  ['one host', 'A'],
  ['two', 'B'],
])(
  'a span that is linked to what it called, at %s: an error, of which --tolerant leaves out one of both',
  async (_, service) => {
    const child = made('b', service, [2, 3], { parent: 'a' });
    const spans = [made('a', 'A', [1, 4], { links: [child] }), child];
    const told =
      'the calls and links of the span "b" of the trace "t" form a cycle, so the span would start before itself';
    expect(await readMade(spans)).toMatchObject(ringOf(told));
    const { session } = await readMade(spans, { tolerant: true });
    const found = pairsOf(session as Session);
    expect([found.has('a start -> b start'), found.has('b start -> a start')]).toEqual([
      false,
      true,
    ]);
  },
);

test('spans that call each other in rings, and one that calls itself, which says nothing', async () => {
  const ring = (trace: string) => [
    made(`${trace}1`, 'A', [1, 2], { trace, parent: `${trace}2` }),
    made(`${trace}2`, 'A', [1, 2], { trace, parent: `${trace}1` }),
  ];
  const { problems } = await readMade([
    ...ring('t'),
    ...ring('u'),
    made('s', 'A', [1, 2], { parent: 's' }),
  ]);
  expect(problems).toEqual([
    {
      count: 2,
      message:
        'the calls and links of 2 spans, such as "t1" of the trace "t", form cycles, so the spans would start before themselves',
    },
  ]);
});

test('by time, clocks count: a call that contradicts them is left out, and that is told', async () => {
  const spans = { order: 'time' } as const;
  const { session, problems, setBacks } = await readMade(contrary, { spans });
  expect(problems).toEqual([]);
  const found = pairsOf(session as Session);
  expect(
    [
      'a2 end -> a1 start',
      'a1 start -> b1 start',
      'b1 end -> b2 start',
      'b2 start -> a2 start',
    ].map((pair) => found.has(pair)),
  ).toEqual([true, false, true, true]);
  expect(setBacks).toEqual([{ clock: 'B', orders: 1 }]);
  const p = made('p', 'A', [5, 6]);
  // Linked to its parent too, it contradicts the clock once.
  for (const links of [[], [p]]) {
    const onOne = [p, made('c', 'A', [1, 2], { parent: 'p', links })];
    expect((await readMade(onOne, { spans })).setBacks).toEqual([{ clock: 'A', orders: 1 }]);
  }
  const atOnce = [
    made('p', 'A', [1, 2]),
    made('c', 'A', [1, 2], { links: [made('p', 'A', [1, 2])] }),
  ];
  expect((await readMade(atOnce, { spans })).setBacks).toEqual([]);
});
