import { expect, test } from 'vitest';
import { readSession, type Session } from '../../src/session/index.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
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
    const { session, disagreements, problems } = await readSession(written);
    if (session === undefined) {
      wentBack += problems[0]?.count ?? 0;
      expect(problems[0]?.message).toMatch(/before that of what called .*its clock went back$/);
      continue;
    }
    const ordered = pairsOf(session);
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
  if (!isLong) expect([dropped, wentBack]).toEqual([4, 3]);
});
