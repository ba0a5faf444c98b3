import type { SessionSummary } from '../../session/index.js';
import { type JsonObject, jsonNumber } from '../../values/index.js';

/** What is in a session, for scripts. Times are nanoseconds. */
export function summaryToJson(summary: SessionSummary): JsonObject {
  const { name, source, events, interactions, probes, attributes, time, orderedPairs } = summary;
  const number = (value: number | bigint) => jsonNumber(String(value));
  return {
    ...(name !== undefined && { name }),
    ...(source !== undefined && { source }),
    events: number(events),
    interactions: number(interactions),
    ...(time !== undefined && { time: { first: number(time.first), last: number(time.last) } }),
    ...(orderedPairs !== undefined && {
      ordered_pairs: { ordered: number(orderedPairs.ordered), of: number(orderedPairs.of) },
    }),
    probes: probes.map((probe) => ({
      probe: probe.probe,
      events: number(probe.events),
      receives: number(probe.receives),
    })),
    attributes: attributes.map((attribute) => ({
      name: attribute.name,
      kinds: Object.fromEntries(
        Object.entries(attribute.kinds).map(([kind, count]) => [kind, number(count)]),
      ),
    })),
  };
}
