import fc from 'fast-check';

/** Records of a session, each as its line; every timeline's events have `seq`. */
export interface Lines {
  readonly events: readonly string[];
  readonly interactions: readonly string[];
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', 'b', ''));

function floatText(value: number): string {
  const written = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(written) ? written : `${written}.0`;
}

/** The JSON of an attribute value, with numbers as they are written. */
const value: fc.Arbitrary<string> = fc.oneof(
  int64.map(String),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(floatText),
  fc.integer({ min: -1000, max: 1000 }).map((cents) => floatText(cents / 100)),
  text.map((one) => JSON.stringify(one)),
  fc.boolean().map(String),
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map((one) => `{"BigInt":"${one}"}`),
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map((one) => `{"BigInt":${one}}`),
  uint64.map((one) => `{"Timestamp":${one}}`),
  int64.map((one) => `{"Nanoseconds":${one}}`),
  int64.map((one) => `{"LogicalTime":${one}}`),
  fc
    .tuple(fc.uuid(), fc.integer())
    .map(([id, one]) => `{"EventCoordinate":{"id":${one},"timeline_id":"${id}"}}`),
  fc.uuid().map((one) => `{"TimelineId":"${one}"}`),
  fc
    .tuple(uint64, uint64, uint64, uint64)
    .map((segments) => `{"LogicalTime":[${segments.join(',')}]}`),
  fc
    .tuple(fc.uuid(), fc.array(fc.nat(255), { minLength: 16, maxLength: 16 }))
    .map(([id, bytes]) => `{"EventCoordinate":{"timeline_id":"${id}","id":[${bytes}]}}`),
  fc.constantFrom('Infinity', '-Infinity').map((one) => `{"NonFiniteFloat":"${one}"}`),
);

const RESERVED = ['name', 'probe', 'seq', 'time', 'timeline'];
const key = fc
  .oneof(fc.constantFrom('x', 'y', 'trace.id', 'größe'), fc.string())
  .filter((one) => !RESERVED.includes(one) && one !== '__proto__');

/** A session whose interactions lead forward in the order of its events, so without a cycle. */
export const lines: fc.Arbitrary<Lines> = fc
  .array(
    fc.record({
      probe: fc.constantFrom('A', 'B', 'C d', 'é'),
      timeline: fc.constantFrom(undefined, undefined, 't', 'é'),
      name: text,
      step: fc.integer({ min: 1, max: 3 }),
      time: fc.option(int64, { nil: undefined }),
      attributes: fc.dictionary(key, value, { maxKeys: 4 }),
      sender: fc.option(fc.nat(), { nil: undefined }),
    }),
    { maxLength: 12 },
  )
  .map((made) => {
    const next = new Map<string, bigint>();
    const events: string[] = [];
    const interactions: string[] = [];
    const references: string[] = [];
    for (const { probe, timeline, name, step, time, attributes, sender } of made) {
      // Beyond what doubles distinguish, and at times a double that is not written in full.
      const line = JSON.stringify([probe, timeline ?? '']);
      const seq = (next.get(line) ?? 2n ** 60n - 1n) + BigInt(step);
      next.set(line, seq);
      const values = Object.entries(attributes).map(
        ([one, json]) => `${JSON.stringify(one)}:${json}`,
      );
      const parts = [
        `"probe":${JSON.stringify(probe)}`,
        ...(timeline === undefined ? [] : [`"timeline":${JSON.stringify(timeline)}`]),
        `"name":${JSON.stringify(name)}`,
        `"seq":${seq}`,
        ...(time === undefined ? [] : [`"time":${time}`]),
        ...(values.length === 0 ? [] : [`"attributes":{${values.join(',')}}`]),
      ];
      events.push(`{${parts.join(',')}}`);
      const names = timeline === undefined ? [probe] : [probe, timeline];
      const reference = `[${names.map((one) => JSON.stringify(one))},${seq}]`;
      if (sender !== undefined && references.length > 0) {
        const from = references[sender % references.length] as string;
        interactions.push(`{"from":${from},"to":${reference}}`);
      }
      references.push(reference);
    }
    return { events, interactions };
  });

/** A list and an order of its places. */
export const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });
