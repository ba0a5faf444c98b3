import { expect, test } from 'vitest';
import { readSession, type Session } from '../../src/session/index.js';
import { roll } from '../dice.js';
import { isLong } from '../long.js';
import { closure, plain } from './plain.js';
import { makeRequests, orderedPairs, WRITERS } from './requests.js';

/** The pairs of events that a session orders, called as `orderedPairs` calls them. */
function pairsOf(session: Session): Set<string> {
  const names = plain(session).events.map((event) => {
    const phase = event['span.start']
      ? 'start'
      : event['span.end']
        ? 'end'
        : event['name']?.slice(7);
    return `${event['span.id']?.slice(7)} ${phase}`;
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
    for (let seed = 1; seed <= (isLong ? 2_000 : 60); seed++) {
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
    if (!isLong) expect(ordered).toBe(19_588);
  },
);
