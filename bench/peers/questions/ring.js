import { grouped, number, pairs, percentile, sameIn, waysInto } from '../plain-sessions.js';

/** @import { PlainSession } from '../plain-sessions.js' */
/** @import { Asked } from '../count-answers.js' */

/** @param {PlainSession} session @returns {Asked[]} */
export function ofRing({ events, isBefore }) {
  const { named, next, concurrent } = waysInto({ events, isBefore });
  const lookups = named(/^Received GetNode request$/);
  const gets = named(/^Responding to get$/);
  const updates = named(/^Received comp update node request$/);
  const received = named(/^Received reply with node .*$/);
  const inits = named(/^Received initialize request$/);
  const registrations = named(/^Registering with front end$/);
  const atSameProbe = sameIn('probe');
  return [
    {
      asks: 'Which lookups did the answer to the get not know of?',
      expression: `MATCH (name = 'Received GetNode request') AS q, NOT (name = 'Responding to get') AS got
        WHEN q -> got AGGREGATE count() = 0`,
      holds: false,
      count: () => number(lookups.filter((q) => !gets.some((got) => isBefore(q, got)))),
    },
    {
      asks: 'Which lookups ran beside no update of a neighbour?',
      expression: `MATCH (name = 'Received GetNode request') AS q,
        NOT (name = 'Received comp update node request') AS u WHEN u || q AGGREGATE count() = 0`,
      holds: false,
      count: () => number(lookups.filter((q) => !updates.some((u) => concurrent(u, q)))),
    },
    {
      asks: 'Which two lookups did not know of each other?',
      expression: `MATCH (name = 'Received GetNode request') AS x, (name = 'Received GetNode request') AS y
        WHEN x || y AGGREGATE count() = 0`,
      holds: false,
      count: () => number(pairs(lookups, lookups, concurrent)),
    },
    {
      asks: 'Does a node ask another one before it receives the next lookup?',
      expression: `MATCH (name = 'Received GetNode request') AS q, (name = 'Received GetNode request') AS n,
        NOT (name GLOB 'Received reply with node *') AS a
        WHEN q -> NEXT n AND q -> a -> n FILTER n.probe = q.probe AND a.probe = q.probe
        AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          next(lookups, lookups, atSameProbe).filter(
            ([q, n]) =>
              !received.some((a) => atSameProbe(a, q) && isBefore(q, a) && isBefore(a, n)),
          ),
        ),
    },
    {
      asks: 'After how many lookups do exactly two come next, one beside the other?',
      expression: `MATCH (name = 'Received GetNode request') AS q, (name = 'Received GetNode request') AS n
        WHEN q -> NEXT n AGGREGATE count() = 2 BY q FOR 32.5%`,
      holds: true,
      count: () => {
        const left = next(lookups, lookups);
        const counts = lookups.map((q) => left.filter(([of]) => of === q).length);
        return {
          bindings: left.length,
          groups: [counts.length, counts.filter((n) => n === 2).length],
        };
      },
    },
    {
      asks: 'Which nodes heard at least seven times of the same other node?',
      expression: `MATCH (name GLOB 'Received reply with node *') AS r
        AGGREGATE count() >= 7 BY r.probe, r.name`,
      holds: false,
      count: () => {
        const counts = grouped(received, ({ probe, name }) => `${probe} ${name}`);
        return {
          bindings: received.length,
          groups: [counts.length, counts.filter((group) => group.length >= 7).length],
        };
      },
    },
    {
      asks: 'Do half of the processes log more than twenty different things?',
      expression: `MATCH (exists(name)) AS e AGGREGATE distinct(e.name) > 20 BY e.probe FOR 50%`,
      holds: true,
      count: () => {
        const counts = grouped(events, ({ probe }) => probe).map(
          (group) => new Set(group.map(({ name }) => name)).size,
        );
        return {
          bindings: events.length,
          groups: [counts.length, counts.filter((different) => different > 20).length],
        };
      },
    },
    {
      asks: 'How many of the replies are about node 40, and how many different nodes reply?',
      expression: `MATCH (name GLOB 'Received reply with node ?0') AS r
        AGGREGATE share(r.name GLOB '*40') < 0.25, distinct(r.probe) = 5`,
      holds: false,
      count: () => ({
        bindings: received.length,
        left: [
          named(/^Received reply with node 40$/).length / received.length,
          new Set(received.map(({ probe }) => probe)).size,
        ],
      }),
    },
    {
      asks: 'How long after its initialization does a node look up, by its own count of events?',
      expression: `MATCH (name = 'Received initialize request') AS i, (name = 'Received GetNode request') AS q
        WHEN i -> q FILTER i.probe = q.probe
        AGGREGATE percentile(q.seq - i.seq, 95) < 200, max(i.seq / q.seq) < 0.1, percentile(q.seq, 50) > 100`,
      holds: false,
      count: () => {
        const left = pairs(inits, lookups, (i, q) => atSameProbe(i, q) && isBefore(i, q));
        return {
          bindings: left.length,
          left: [
            percentile(
              95,
              left.map(([i, q]) => q['seq'] - i['seq']),
            ),
            Math.max(...left.map(([i, q]) => i['seq'] / q['seq'])),
            percentile(
              50,
              left.map(([, q]) => q['seq']),
            ),
          ],
        };
      },
    },
    {
      asks: 'Between which initializations and registrations does no lookup happen anywhere?',
      expression: `MATCH (name = 'Received initialize request') AS i, (name = 'Registering with front end') AS r,
        NOT (name = 'Received GetNode request') AS q WHEN i -> q -> r AND i != r
        AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          pairs(
            inits,
            registrations,
            (i, r) => isBefore(i, r) && !lookups.some((q) => isBefore(i, q) && isBefore(q, r)),
          ),
        ),
    },
  ];
}
