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
export function ofShop({ events, isBefore }) {
  const { next, concurrent } = waysInto({ events, isBefore });
  const starts = events.filter((event) => event['span.start'] === true);
  const ends = events.filter((event) => event['span.end'] === true);
  const of = (/** @type {typeof events} */ all, /** @type {string} */ name) =>
    all.filter((event) => event['name'] === name);
  const orders = of(starts, 'order');
  const answers = of(ends, 'order');
  const charges = of(starts, 'charge');
  const charged = of(ends, 'charge');
  const sameTrace = sameIn('trace.id');
  const extent = extentOf(events);
  const ms = 1_000_000n;
  return [
    {
      asks: 'Which orders that were paid 250 ms before the end are never sent?',
      expression: `MATCH (name = 'order' AND span.start = true AND code = 200) AS o, NOT (name = 'send') AS s
        WHEN o -> s FILTER s.order = o.order AND o.time < session.end - 250ms AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          orders.filter(
            (o) =>
              o['code'] === 200n &&
              o['time'] < extent.end - 250n * ms &&
              !events.some(
                (s) => s['name'] === 'send' && isBefore(o, s) && s['order'] === o['order'],
              ),
          ),
        ),
    },
    {
      asks: 'How soon is a refused payment tried again?',
      expression: `MATCH (name = 'charge' AND span.end = true AND span.status IN ('error')) AS e,
        (name = 'charge' AND span.start = true) AS n WHEN e -> NEXT n WITHIN 15ms
        AGGREGATE count() > 0, percentile(n.time - e.time, 50) < 5ms, max(n.attempt - e.attempt) = 1`,
      holds: false,
      count: () => {
        const left = next(
          charged.filter((e) => e['span.status'] === 'error'),
          charges,
        ).filter(([e, n]) => n['time'] - e['time'] <= 15n * ms);
        const waits = left.map(([e, n]) => n['time'] - e['time']);
        return { bindings: left.length, left: [left.length, percentile(50, waits), 1] };
      },
    },
    {
      asks: 'Are 90 % of the orders answered within 60 ms?',
      expression: `MATCH (name = 'order' AND span.start = true) AS q, (name = 'order' AND span.end = true) AS r
        WHEN q -> r WITHIN 60ms FILTER r.span.id = q.span.id AGGREGATE count() = 1 BY q FOR 90%`,
      holds: false,
      count: () => {
        const left = pairs(
          orders,
          answers,
          (q, r) => sameTrace(q, r) && r['time'] - q['time'] <= 60n * ms,
        );
        const hold = orders.filter((q) => left.some(([one]) => one === q));
        return { bindings: left.length, groups: [orders.length, hold.length] };
      },
    },
    {
      asks: 'Do both checks of an order run wholly beside each other?',
      expression: `MATCH (name = 'check') AS x, (name = 'check') AS y WHEN x || y
        FILTER x.trace.id = y.trace.id AND x.item < y.item AGGREGATE count() >= 4 BY x.order FOR 92.5%`,
      holds: true,
      count: () => {
        const checks = events.filter((event) => event['name'] === 'check');
        const left = pairs(
          checks,
          checks,
          (x, y) => sameTrace(x, y) && x['item'] < y['item'] && concurrent(x, y),
        );
        const all = new Set(checks.map((check) => check['order']));
        const groups = [...all].map(
          (order) => left.filter(([x]) => x['order'] === order).length >= 4,
        );
        return { bindings: left.length, groups: [groups.length, groups.filter(Boolean).length] };
      },
    },
    {
      asks: 'Are at most two payments in five refused, in two thirds of the quarters of a second?',
      expression: `MATCH (name = 'charge' AND span.end = true) AS e
        AGGREGATE share(e.span.status = 'error') <= 0.4 BY window(e.time, 250ms) FOR 66.7%`,
      holds: false,
      count: () => {
        const groups = windows(charged, 250n * ms, extent);
        const hold = groups.filter(
          (group) =>
            group.length > 0 &&
            group.filter((e) => e['span.status'] === 'error').length * 5 <= 2 * group.length,
        );
        return {
          bindings: charged.length,
          groups: [groups.length, hold.length],
          cutOff: charged.length - groups.flat().length,
        };
      },
    },
    {
      asks: 'How much of the time of an order does its payment take?',
      expression: `MATCH (name = 'charge' AND span.end = true) AS c, (name = 'order' AND span.end = true) AS o
        FILTER c.span.parent.id = o.span.id
        AGGREGATE percentile(100 * c.span.duration / o.span.duration, 80) < 35, min(o.span.duration - c.span.duration) > 5ms`,
      holds: false,
      count: () => {
        const left = pairs(charged, answers, (c, o) => c['span.parent.id'] === o['span.id']);
        const shares = left.map(
          ([c, o]) => Number(100n * c['span.duration']) / Number(o['span.duration']),
        );
        const rests = left.map(([c, o]) => o['span.duration'] - c['span.duration']);
        return {
          bindings: left.length,
          left: [percentile(80, shares), rests.reduce((a, b) => (b < a ? b : a))],
        };
      },
    },
    {
      asks: 'Is each try of a payment a different one, and are there at most two?',
      expression: `MATCH (name = 'charge' AND span.start = true) AS c
        AGGREGATE distinct(c.attempt) <= 2, count() - distinct(c.attempt) = 0 BY c.order FOR 75%`,
      holds: true,
      count: () => {
        const groups = grouped(charges, ({ order }) => order);
        const hold = groups.filter((group) => {
          const different = new Set(group.map(({ attempt }) => attempt)).size;
          return different <= 2 && group.length === different;
        });
        return { bindings: charges.length, groups: [groups.length, hold.length] };
      },
    },
    {
      asks: 'Who refuses the payments of orders that fail, and how often is it not the bank?',
      expression: `MATCH (name GLOB 'refused by [bl]*' AND log.severity IN ('WARN', 'ERROR')) AS l,
        (name = 'order' AND span.end = true) AS o WHEN l -> o FILTER o.order = l.order AND o.code IN (500, 502)
        AGGREGATE count() > 0, share(NOT (l.reason = 'bank')) < 0.5, distinct(l.name) = 2`,
      holds: false,
      count: () => {
        const left = pairs(
          events.filter(({ name }) => /^refused by [bl]/.test(name)),
          answers,
          (l, o) => isBefore(l, o) && o['order'] === l['order'] && o['code'] === 502n,
        );
        return {
          bindings: left.length,
          left: [
            left.length,
            left.filter(([l]) => l['reason'] !== 'bank').length / left.length,
            new Set(left.map(([l]) => l['name'])).size,
          ],
        };
      },
    },
    {
      asks: 'Which orders missed the cache and had no refused payment before their answer?',
      expression: `MATCH (name = 'cache.miss') AS m, (name = 'order' AND span.end = true) AS r,
        NOT (name = 'charge' AND span.end = true AND span.status = 'error') AS e
        WHEN m -> r AND e -> r FILTER e.trace.id = m.trace.id AND m.trace.id = r.trace.id AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          pairs(
            of(events, 'cache.miss'),
            answers,
            (m, r) =>
              isBefore(m, r) &&
              sameTrace(m, r) &&
              !charged.some(
                (e) => e['span.status'] === 'error' && isBefore(e, r) && sameTrace(e, m),
              ),
          ),
        ),
    },
    {
      asks: 'Which customers pay less than 50 an order, with at most one order in ten refused?',
      expression: `MATCH (name = 'order' AND span.end = true) AS o
        AGGREGATE sum(o.price) / count() < 50, share(o.code >= 500) <= 0.1 BY o.customer FOR 37.5%`,
      holds: true,
      count: () => {
        const groups = grouped(answers, ({ customer }) => customer);
        const hold = groups.filter(
          (group) =>
            group.reduce((sum, { price }) => sum + price, 0) < 50 * group.length &&
            group.filter(({ code }) => code >= 500n).length * 10 <= group.length,
        );
        return { bindings: answers.length, groups: [groups.length, hold.length] };
      },
    },
  ];
}
