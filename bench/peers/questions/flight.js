import {
  extentOf,
  grouped,
  number,
  pairs,
  percentile,
  waysInto,
  windows,
} from '../plain-sessions.js';

/** @import { PlainSession } from '../plain-sessions.js' */
/** @import { Asked } from '../count-answers.js' */

/** @param {PlainSession} session @returns {Asked[]} */
export function ofFlight({ events, isBefore }) {
  const { named, next, concurrent } = waysInto({ events, isBefore });
  const telemetry = named(/^telemetry$/);
  const lost = named(/^lost$/);
  const passed = named(/^passed$/);
  const steers = named(/^steer$/);
  const injected = named(/^perturb\.injected$/);
  const resets = named(/^perturb\.reset$/);
  const extent = extentOf(events);
  const ms = 1_000_000n;
  return [
    {
      asks: 'Which telemetry led to no steering within 10 ms?',
      expression: `MATCH (telemetry @ SIMULATOR) AS t, NOT (steer @ AUTOPILOT) AS s
        WHEN t -> s WITHIN 10ms FILTER t.time < session.end - 10ms AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          telemetry.filter(
            (t) =>
              t['time'] < extent.end - 10n * ms &&
              !steers.some((s) => isBefore(t, s) && s['time'] - t['time'] <= 10n * ms),
          ),
        ),
    },
    {
      asks: 'Does the link handle telemetry within 1 ms?',
      expression: `MATCH (name = 'telemetry') AS t, (probe = 'LINK' AND name IN ('lost', 'passed')) AS l
        WHEN t -> NEXT l WITHIN 1ms AGGREGATE count() >= 1 BY t FOR 90%`,
      holds: true,
      count: () => {
        const left = next(telemetry, [...lost, ...passed]).filter(
          ([t, l]) => l['time'] - t['time'] <= ms,
        );
        const hold = telemetry.filter((t) => left.some(([of]) => of === t));
        return { bindings: left.length, groups: [telemetry.length, hold.length] };
      },
    },
    {
      asks: 'Between which neighbours in telemetry was nothing passed?',
      expression: `MATCH (name = 'telemetry') AS t, (name = 'telemetry') AS n, NOT (name = 'passed') AS p
        WHEN t -> NEXT n AND t -> p AND p || n AGGREGATE count() = 0`,
      holds: false,
      count: () =>
        number(
          next(telemetry, telemetry).filter(
            ([t, n]) => !passed.some((p) => isBefore(t, p) && concurrent(p, n)),
          ),
        ),
    },
    {
      asks: 'How much telemetry is lost?',
      expression: `MATCH (probe = 'LINK' AND NOT (name != 'lost' AND name != 'passed')) AS l
        AGGREGATE share(l.name = 'lost') <= 0.92`,
      holds: true,
      count: () => {
        const all = lost.length + passed.length;
        return { bindings: all, left: [lost.length / all] };
      },
    },
    {
      asks: 'Is there telemetry in every 100 ms?',
      expression: `MATCH (name = 'telemetry') AS t AGGREGATE count() >= 1 BY window(t.time, 100ms)`,
      holds: false,
      count: () => {
        const counts = windows(telemetry, 100n * ms, extent);
        return {
          bindings: telemetry.length,
          groups: [counts.length, counts.filter((group) => group.length >= 1).length],
          cutOff: telemetry.length - counts.flat().length,
        };
      },
    },
    {
      asks: 'How far does it drift?',
      expression: `MATCH (exists(drift)) AS t
        AGGREGATE percentile(t.drift, 90) < 5, percentile(t.drift, 50) < 5, max(t.drift * t.drift) < 100`,
      holds: false,
      count: () => {
        const drifts = events.flatMap(({ drift }) => (drift === undefined ? [] : [drift]));
        return {
          bindings: drifts.length,
          left: [
            percentile(90, drifts),
            percentile(50, drifts),
            // The exact square, to the nearest double.
            Math.max(...drifts.map((drift) => drift * drift)),
          ],
        };
      },
    },
    {
      asks: 'Is each mutation reset exactly once, and with the same parameters?',
      expression: `MATCH (name = 'perturb.injected') AS i, (name GLOB 'perturb.r[a-f]set') AS r
        WHEN i -> r FILTER r.mutator.id = i.mutator.id
          AND (NOT exists(i.mutator.params.share) OR r.mutator.params.share = i.mutator.params.share)
        AGGREGATE count() = 1 BY i`,
      holds: true,
      count: () => {
        const left = pairs(
          injected,
          resets,
          (i, r) =>
            isBefore(i, r) &&
            r['mutator.id'] === i['mutator.id'] &&
            [undefined, r['mutator.params.share']].includes(i['mutator.params.share']),
        );
        const counts = injected.map((i) => left.filter(([of]) => of === i).length);
        return {
          bindings: left.length,
          groups: [counts.length, counts.filter((n) => n === 1).length],
        };
      },
    },
    {
      asks: 'Which steering ran beside which loss?',
      expression: `MATCH (name = 'steer') AS s, (name = 'lost') AS l WHEN s || l
        AGGREGATE count() > 0, percentile(abs(s.time - l.time), 75) < 10ms, distinct(l.seq) > 10`,
      holds: false,
      count: () => {
        const left = pairs(steers, lost, concurrent);
        const apart = left.map(([s, l]) => s['time'] - l['time']);
        return {
          bindings: left.length,
          left: [
            left.length,
            percentile(
              75,
              apart.map((time) => (time < 0n ? -time : time)),
            ),
            new Set(left.map(([, l]) => l['seq'])).size,
          ],
        };
      },
    },
    {
      asks: 'What does the simulator record after which nothing passes the link any more?',
      expression: `MATCH (probe = 'SIMULATOR') AS e, NOT (name = 'passed') AS p WHEN e -> p
        AGGREGATE count() = 0, distinct(e.name) <= 2, share(NOT exists(e.drift)) < 0.25`,
      holds: false,
      count: () => {
        const left = events.filter(
          (e) => e['probe'] === 'SIMULATOR' && !passed.some((p) => isBefore(e, p)),
        );
        return {
          bindings: left.length,
          left: [
            left.length,
            new Set(left.map(({ name }) => name)).size,
            left.filter(({ drift }) => drift === undefined).length / left.length,
          ],
        };
      },
    },
    {
      asks: 'How strongly does it steer for its drift at that time?',
      expression: `MATCH (name = 'telemetry') AS t, (name = 'steer') AS s WHEN t -> s
        FILTER t.drift > 0 AND s.seq IN (0, 1)
        AGGREGATE min(abs(s.thrust) / t.drift) > 0.5, max(abs(s.thrust) / t.drift) <= 200 BY s.seq`,
      holds: true,
      count: () => {
        const left = pairs(telemetry, steers, (t, s) => isBefore(t, s) && t['drift'] > 0);
        const groups = grouped(left, ([, s]) => s['seq']).map((group) =>
          group.map(([t, s]) => Math.abs(s['thrust']) / t['drift']),
        );
        const hold = groups.filter(
          (ratios) => Math.min(...ratios) > 0.5 && Math.max(...ratios) <= 200,
        );
        return { bindings: left.length, groups: [groups.length, hold.length] };
      },
    },
  ];
}
