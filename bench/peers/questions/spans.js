import {
  extentOf,
  grouped,
  number,
  pairs,
  percentile,
  sameIn,
  waysInto,
  windows,
} from '../plain-sessions.js';

/** @import { PlainSession } from '../plain-sessions.js' */
/** @import { Asked } from '../count-answers.js' */

/** @param {PlainSession} session @returns {Asked[]} */
export function ofSpans({ events, isBefore }) {
  const { next, concurrent } = waysInto({ events, isBefore });
  const starts = events.filter((event) => event['span.start'] === true);
  const ends = events.filter((event) => event['span.end'] === true);
  const extent = extentOf(events);
  const ms = 1_000_000n;
  return [
    {
      asks: 'Which spans end within 2 ms?',
      expression: `MATCH (span.start = true) AS s, (span.end = true) AS e WHEN s -> e WITHIN 2ms
        FILTER e.span.id = s.span.id AND e.probe = s.probe AGGREGATE count() = 1 BY s FOR 56.25%`,
      holds: false,
      count: () => {
        const left = pairs(
          starts,
          ends,
          (s, e) =>
            isBefore(s, e) &&
            e['time'] - s['time'] <= 2n * ms &&
            e['span.id'] === s['span.id'] &&
            e['probe'] === s['probe'],
        );
        const counts = starts.map((s) => left.filter(([of]) => of === s).length);
        return {
          bindings: left.length,
          groups: [counts.length, counts.filter((n) => n === 1).length],
        };
      },
    },
    {
      asks: 'How long do spans take, and how many take more than 10 ms?',
      expression: `MATCH (span.end = true) AS e AGGREGATE percentile(e.span.duration, 90) < 90ms,
        percentile(e.span.duration, 50) < 2ms, share(e.span.duration > 10ms) <= 0.4`,
      holds: false,
      count: () => {
        const durations = ends.map((end) => end['span.duration']);
        return {
          bindings: ends.length,
          left: [
            percentile(90, durations),
            percentile(50, durations),
            durations.filter((duration) => duration > 10n * ms).length / ends.length,
          ],
        };
      },
    },
    {
      asks: 'Which spans call nothing further?',
      expression: `MATCH (span.start = true) AS p, NOT (span.start = true) AS c
        WHEN c != p FILTER c.span.parent.id = p.span.id AGGREGATE count() = 10`,
      holds: true,
      count: () =>
        number(
          starts.filter(
            (p) => !starts.some((c) => c !== p && c['span.parent.id'] === p['span.id']),
          ),
        ),
    },
    {
      asks: 'Which spans began while one of another service, which it does not know of, ended?',
      expression: `MATCH (span.start = true) AS s, (span.end = true) AS e WHEN s || e
        FILTER s.probe != e.probe AND s.span.kind = 'client' AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          pairs(
            starts,
            ends,
            (s, e) => concurrent(s, e) && s['probe'] !== e['probe'] && s['span.kind'] === 'client',
          ),
        ),
    },
    {
      asks: 'How much of a span is spent in one of its parts?',
      expression: `MATCH (span.end = true) AS c, (span.end = true) AS p
        WHEN c -> p FILTER c.span.parent.id = p.span.id
        AGGREGATE max(c.span.duration / p.span.duration) < 0.9, share(c.span.duration / p.span.duration > 0.5) < 0.25`,
      holds: false,
      count: () => {
        const left = pairs(
          ends,
          ends,
          (c, p) => isBefore(c, p) && c['span.parent.id'] === p['span.id'],
        ).map(([c, p]) => Number(c['span.duration']) / Number(p['span.duration']));
        return {
          bindings: left.length,
          left: [Math.max(...left), left.filter((ratio) => ratio > 0.5).length / left.length],
        };
      },
    },
    {
      asks: 'How long does a service wait from one start to its next?',
      expression: `MATCH (span.start = true) AS s, (span.start = true) AS n WHEN s -> NEXT n
        FILTER n.probe = s.probe AGGREGATE percentile(n.time - s.time, 60) < 2ms, count() = 10`,
      holds: true,
      count: () => {
        const left = next(starts, starts, sameIn('probe'));
        return {
          bindings: left.length,
          left: [
            percentile(
              60,
              left.map(([s, n]) => n['time'] - s['time']),
            ),
            left.length,
          ],
        };
      },
    },
    {
      asks: 'Do at least three things happen in every 25 ms?',
      expression: `MATCH (exists(time)) AS e AGGREGATE count() >= 3 BY window(e.time, 25ms) FOR 60%`,
      holds: true,
      count: () => {
        const counts = windows(events, 25n * ms, extent);
        return {
          bindings: events.length,
          groups: [counts.length, counts.filter((group) => group.length >= 3).length],
          cutOff: events.length - counts.flat().length,
        };
      },
    },
    {
      asks: 'How many different spans has each service of each region?',
      expression: `MATCH (exists(span.id)) AS e AGGREGATE distinct(e.span.id) = 1 BY e.probe, e.region`,
      holds: true,
      count: () => {
        const of = events.filter((event) => event['span.id'] !== undefined);
        const groups = grouped(
          of.filter(({ region }) => region !== undefined),
          ({ probe, region }) => `${probe} ${region}`,
        ).map((group) => new Set(group.map((event) => event['span.id'])).size);
        return {
          bindings: of.length,
          groups: [groups.length, groups.filter((different) => different === 1).length],
        };
      },
    },
    {
      asks: 'Which calls of a cache were no hit?',
      expression: `MATCH (span.end = true AND driver GLOB '*memcache' AND exists(hits) AND hits NOT IN (1)) AS c
        AGGREGATE count() = 0, distinct(c.method) < 1`,
      holds: false,
      count: () => {
        const left = ends.filter(
          ({ driver, hits }) => /memcache$/.test(driver ?? '') && ![undefined, '1'].includes(hits),
        );
        return {
          bindings: left.length,
          left: [left.length, new Set(left.map(({ method }) => method)).size],
        };
      },
    },
  ];
}

/** @param {PlainSession} session @returns {Asked[]} */
export function ofOneSpan({ events }) {
  return [
    {
      asks: 'Which spans have a parent that is not in the file?',
      expression: `MATCH (span.start = true AND exists(span.parent.id)) AS s, NOT (span.start = true) AS p
        WHEN p != s FILTER p.span.id = s.span.parent.id AGGREGATE count() = 0`,
      holds: false,
      count: () => {
        const all = events.filter((event) => event['span.start']);
        return number(
          all.filter(
            (s) =>
              s['span.parent.id'] &&
              !all.some((p) => p !== s && p['span.id'] === s['span.parent.id']),
          ),
        );
      },
    },
  ];
}

/** @param {PlainSession} session @returns {Asked[]} */
export function ofOneRecord({ events: [log] }) {
  return [
    {
      asks: 'What is the ratio of its numbers?',
      expression: `MATCH (log.severity IN ('Information', 'Debug') AND NOT exists(event.name)) AS l
        AGGREGATE max(l.double.attribute / l.int.attribute) < 60, share(l.boolean.attribute = true) = 1`,
      holds: false,
      count: () => ({
        bindings: 1,
        left: [log?.['double.attribute'] / Number(log?.['int.attribute']), 1],
      }),
    },
  ];
}
