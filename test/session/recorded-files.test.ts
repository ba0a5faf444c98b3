import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSessionFile } from '../../src/session/files/index.js';
import { eventRecordsOf, type Session } from '../../src/session/index.js';
import { closure } from './plain.js';

/*
 * Files that programs wrote, each beside a count of its own: regular expressions or JSON.parse over the raw text,
 * which know nothing of the importers. `fixtures/sessions/recorded` was written by nginx, HAProxy, Apache, Redis,
 * PostgreSQL and its psql, util-linux's logger, Java, Python, Node (its traces), the kernel, OpenTelemetry's SDK, and
 * the loggers of npm; `jaeger.json` is an answer of Jaeger's query service.
 */

interface RawEvent {
  readonly probe: string;
  readonly name: string;
  /** Nanoseconds; absent if the file has no times. */
  readonly time?: bigint;
}

/** What is known of a file without importing it. */
interface Raw {
  /** In the order of the file. */
  readonly events: readonly RawEvent[];
  /** For spans, whose order is not that of the file: the parent of each, by id. */
  readonly parents?: ReadonlyMap<string, string | undefined>;
}

interface RecordedFile {
  readonly path: string;
  readonly format: string;
  /** True for an event whose place in the order the file shows; absent if that is so for all. */
  readonly isOrdered?: (event: RawEvent) => boolean;
  readonly count: (bytes: Buffer) => Raw;
}

const BILLION = 1_000_000_000n;

/** A date, a time of day and the digits of a fraction, in nanoseconds. */
function ns(date: string, fraction = ''): bigint {
  return BigInt(Date.parse(`${date} UTC`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** The events of a text in which a match of the pattern is an event; the groups are as of `RawEvent`. */
function matches(
  pattern: RegExp,
  eventOf: (groups: Readonly<Record<string, string>>) => RawEvent,
): (bytes: Buffer) => Raw {
  return (bytes) => ({
    events: [...bytes.toString('utf8').matchAll(pattern)].map(({ groups = {} }) => eventOf(groups)),
  });
}

/** What JSON.parse returns, whose shape each count knows. */
// biome-ignore lint/suspicious/noExplicitAny: a count reads fields of a file by their names.
type Parsed = any;

/** The events of a text with a JSON object in each line. */
function objects(eventOf: (value: Parsed) => RawEvent): (bytes: Buffer) => Raw {
  return (bytes) => ({
    events: bytes
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => eventOf(JSON.parse(line))),
  });
}

interface RawSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly probe: string;
  readonly name: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly events: readonly (readonly [name: string, time: bigint])[];
}

function spans(all: readonly RawSpan[]): Raw {
  return {
    events: all.flatMap(({ probe, name, start, end, events }) => [
      { probe, name, time: start },
      ...events.map(([name, time]) => ({ probe, name, time })),
      { probe, name, time: end },
    ]),
    parents: new Map(all.map(({ id, parent }) => [id, parent])),
  };
}

const iso = (text: string): bigint => {
  const [, date = '', fraction = ''] = /^([\d-]+[T ][\d:]+)\.?(\d*)/.exec(text) ?? [];
  return ns(date.replace('T', ' '), fraction);
};

/** OTLP in JSON, a document in each line. */
function otlpLines(bytes: Buffer): Raw {
  const documents: Parsed[] = bytes
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const resources: Parsed[] = documents.flatMap(({ resourceSpans }) => resourceSpans);
  return spans(
    resources.flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }: Parsed) => key === 'service.name');
      return scopeSpans
        .flatMap((scope: Parsed) => scope.spans)
        .map(
          (span: Parsed): RawSpan => ({
            ...{ id: span.spanId, parent: span.parentSpanId || undefined },
            ...{ probe: service.value.stringValue, name: span.name },
            start: BigInt(span.startTimeUnixNano),
            end: BigInt(span.endTimeUnixNano),
            events: span.events.map((event: Parsed) => [event.name, BigInt(event.timeUnixNano)]),
          }),
        );
    }),
  );
}

/** The fields of a message of protobuf: bytes of field 1 and so on, fixed 64-bit numbers as bigint. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly (Buffer | bigint)[]> {
  const fields = new Map<number, (Buffer | bigint)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  const take = (size: number): Buffer => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    let value: Buffer | bigint;
    if (kind === 0) value = BigInt(varint());
    else if (kind === 1) value = take(8).readBigUInt64LE();
    else value = kind === 2 ? take(varint()) : take(4);
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

/** OTLP in protobuf, by the numbers of its fields. */
function otlpBytes(bytes: Buffer): Raw {
  const parts = (message: Buffer, field: number) =>
    (fieldsOf(message).get(field) ?? []) as readonly Buffer[];
  const all = parts(bytes, 1).flatMap((resource) => {
    const attributes = parts(parts(resource, 1)[0] as Buffer, 1).map((pair) =>
      [1, 2].map((field) => parts(pair, field)[0] as Buffer),
    );
    const service = attributes.find(([key]) => String(key) === 'service.name')?.[1] as Buffer;
    const probe = String(parts(service, 1)[0]);
    return parts(resource, 2)
      .flatMap((scope) => parts(scope, 2))
      .map((span) => {
        const [id, parent, name] = [2, 4, 5].map((field) => parts(span, field)[0]);
        const [start, end] = [7, 8].map((field) => fieldsOf(span).get(field)?.[0] as bigint);
        const events = parts(span, 11).map((event) => {
          const [time, name] = [1, 2].map((field) => fieldsOf(event).get(field)?.[0]);
          return [String(name), time as bigint] as const;
        });
        const ids = { id: id?.toString('hex'), parent: parent?.toString('hex') || undefined };
        return { ...ids, probe, name: String(name), start, end, events } as RawSpan;
      });
  });
  return spans(all);
}

const us = (value: number) => BigInt(value) * 1_000n;

function zipkin(bytes: Buffer): Raw {
  const all: Parsed[] = JSON.parse(bytes.toString('utf8'));
  return spans(
    all.map((span) => ({
      ...{ id: span.id, parent: span.parentId, name: span.name },
      ...{ probe: span.localEndpoint.serviceName, start: us(span.timestamp) },
      end: us(span.timestamp + span.duration),
      events: (span.annotations ?? []).map((one: Parsed) => [one.value, us(one.timestamp)]),
    })),
  );
}

function jaeger(bytes: Buffer): Raw {
  const [{ spans: all, processes }] = JSON.parse(bytes.toString('utf8')).data;
  return spans(
    all.map((span: Parsed) => ({
      ...{ id: span.spanID, parent: span.references[0]?.spanID, name: span.operationName },
      ...{ probe: processes[span.processID].serviceName, start: us(span.startTime), events: [] },
      end: us(span.startTime + span.duration),
    })),
  );
}

/** Node's trace events: what begins and ends, at the process's name. */
function chrome(bytes: Buffer): Raw {
  const { traceEvents } = JSON.parse(bytes.toString('utf8')) as {
    traceEvents: { ph: string; name: string; ts: number }[];
  };
  const events = traceEvents
    .filter(({ ph }) => ph !== 'M')
    .sort((a, b) => a.ts - b.ts)
    .map(({ name, ts }) => ({ probe: 'node', name, time: BigInt(ts) * 1_000n }));
  return { events };
}

/** The messages of MCAP without chunks: records of a byte, a length and a content. */
function mcap(bytes: Buffer): Raw {
  const topics = new Map<number, { readonly name: string; readonly probe: string }>();
  const events: RawEvent[] = [];
  for (let at = 8; at + 9 < bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at + 1));
    const record = bytes.subarray(at + 9, at + 9 + length);
    const text = (from: number) =>
      record.toString('utf8', from + 4, from + 4 + record.readUInt32LE(from));
    if (bytes[at] === 4) {
      const name = text(4);
      const probe = /node.\0{3}(\w+)$/s.exec(record.toString('latin1'))?.[1] ?? 'plain';
      topics.set(record.readUInt16LE(0), { name, probe });
    } else if (bytes[at] === 5) {
      const topic = topics.get(record.readUInt16LE(0)) as { name: string; probe: string };
      events.push({ ...topic, time: record.readBigUInt64LE(6) });
    }
    at += 9 + length;
  }
  return { events };
}

/** A log with vector clocks: each host's own entry counts its events. */
function chord(bytes: Buffer): Raw {
  const all = [...bytes.toString('utf8').matchAll(/^(\S+) (\{.*\})\n(.*)$/gm)].map(
    ([, probe = '', clock = '', name = '']) => ({ probe, name, own: JSON.parse(clock)[probe] }),
  );
  return { events: all.sort((a, b) => a.own - b.own).map(({ own: _, ...event }) => event) };
}

const LINE = '(?<name>.*)$';
const STAMP = String.raw`(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.,]\d{3})`;
const at = (time = '') => iso(time.replace(',', '.'));
const recorded = (name: string) => `fixtures/sessions/recorded/${name}`;

const FILES: readonly RecordedFile[] = [
  {
    path: 'examples/sessions/drone.session.jsonl',
    format: 'session',
    count: (bytes) => ({
      events: [
        ...bytes.toString('utf8').matchAll(/^\{"probe":"([^"]*)".*?"name":"([^"]*)".*$/gm),
      ].map(([line, probe = '', name = '']) => ({
        ...{ probe, name },
        time: BigInt(/"time":(\d+)/.exec(line)?.[1] ?? 0),
      })),
    }),
  },
  { path: 'examples/sessions/chord.log', format: 'shiviz', count: chord },
  { path: recorded('otlp.jsonl'), format: 'otlp', count: otlpLines },
  { path: recorded('otlp.pb'), format: 'otlp', count: otlpBytes },
  { path: recorded('zipkin.json'), format: 'zipkin', count: zipkin },
  { path: 'examples/sessions/yelp.zipkin.json', format: 'zipkin', count: zipkin },
  { path: recorded('jaeger.json'), format: 'jaeger', count: jaeger },
  {
    path: recorded('chrome.json'),
    format: 'chrome',
    // What runs aside is on timelines of its own.
    isOrdered: ({ name }) => name.startsWith('fs.sync.'),
    count: chrome,
  },
  { path: 'fixtures/sessions/mcap/plain.mcap', format: 'mcap', count: mcap },
  {
    path: recorded('orders.csv'),
    format: 'csv',
    count: matches(
      /^(?<time>\d{4}[^+]*)\+00,(?<probe>\w+),"(?<name>(?:[^"]|"")*)",/gm,
      ({ time = '', probe = '', name = '' }) => ({
        ...{ time: iso(time), probe, name: name.replaceAll('""', '"') },
      }),
    ),
  },
  {
    path: recorded('pino.jsonl'),
    format: 'pino',
    count: objects(({ time, name: probe, msg }) => ({
      ...{ probe, name: msg, time: BigInt(time) * 1_000_000n },
    })),
  },
  {
    path: recorded('bunyan.log'),
    format: 'bunyan',
    count: objects(({ time, name: probe, msg }) => ({ probe, name: msg, time: iso(time) })),
  },
  {
    path: recorded('winston.jsonl'),
    format: 'winston',
    count: objects(({ timestamp, service, message }) => ({
      ...{ probe: service, name: message, time: iso(timestamp) },
    })),
  },
  {
    path: recorded('python.log'),
    format: 'python',
    count: matches(
      new RegExp(`^${STAMP} - (?<probe>\\S+) - [A-Z]+ - ${LINE}`, 'gm'),
      ({ time, probe = '', name = '' }) => ({ time: at(time), probe, name }),
    ),
  },
  {
    path: recorded('java.log'),
    format: 'java',
    count: matches(
      /^(?<month>\w{3}) (?<day>\d+), (?<rest>\d{4} \S+ [AP]M) (?<probe>\S+) \w+\n[A-Z]+: (?<name>.*)$/gm,
      ({ month, day, rest, probe = '', name = '' }) => ({
        ...{ probe, name, time: ns(`${month} ${day} ${rest}`) },
      }),
    ),
  },
  ...['syslog.log', 'syslog-bsd.log'].map(
    (name): RecordedFile => ({
      path: recorded(name),
      format: 'syslog',
      count: matches(
        name === 'syslog.log'
          ? /^<\d+>1 (?<time>\S+) \S+ (?<probe>\S+) \d+ - \[[^\]]*\] (?<name>.*)$/gm
          : /^<\d+>(?<month>\w+) (?<day>\d+) (?<clock>\S+) \S+ (?<probe>\w+)\[\d+\]: (?<name>.*)$/gm,
        ({ time, month, day, clock, probe = '', name = '' }) => ({
          ...{ probe, name },
          // Without a year, the time is one of 1970.
          time: time === undefined ? ns(`${month} ${day} 1970 ${clock}`) : iso(time),
        }),
      ),
    }),
  ),
  {
    path: recorded('nginx.log'),
    format: 'nginx',
    count: matches(
      /^\S+ - - \[(?<day>\d+)\/(?<month>\w+)\/(?<year>\d+):(?<clock>\S+) \+0000\] "(?<name>(?:[^"\\]|\\.)*)"/gm,
      ({ day, month, year, clock, name = '' }) => ({
        ...{ probe: 'nginx', name, time: ns(`${month} ${day} ${year} ${clock}`) },
      }),
    ),
  },
  {
    path: recorded('nginx-error.log'),
    format: 'nginx',
    count: matches(
      /^(?<date>[\d/]+ \S+) \[\w+\] \d+#\d+: (?:\*\d+ )?(?<name>.*?)(?:, client: .*)?$/gm,
      ({ date = '', name = '' }) => ({ probe: 'nginx-error', name, time: ns(date) }),
    ),
  },
  {
    path: recorded('apache-error.log'),
    format: 'apache',
    count: matches(
      /^\[\w+ (?<month>\w+) (?<day>\d+) (?<clock>[\d:]+)\.(?<us>\d+) (?<year>\d+)\] \[\S+\] \[.*?\] (?:\[client [^\]]*\] )?(?<name>.*)$/gm,
      ({ month, day, clock, us, year, name = '' }) => ({
        ...{ probe: 'apache-error', name, time: ns(`${month} ${day} ${year} ${clock}`, us) },
      }),
    ),
  },
  {
    path: recorded('haproxy.log'),
    format: 'haproxy',
    count: matches(
      /\[(?<day>\d+)\/(?<month>\w+)\/(?<year>\d+):(?<clock>[\d:]+)\.(?<ms>\d+)\] (?<probe>\w+) .*"(?<name>[^"]*)"$/gm,
      ({ day, month, year, clock, ms, probe = '', name = '' }) => ({
        ...{ probe, name, time: ns(`${month} ${day} ${year} ${clock}`, ms) },
      }),
    ),
  },
  {
    path: recorded('postgresql.log'),
    format: 'postgresql',
    count: matches(
      new RegExp(`^${STAMP} UTC \\[\\d+\\] [A-Z]+:  ${LINE}`, 'gm'),
      ({ time, name = '' }) => ({ probe: 'postgresql', name, time: at(time) }),
    ),
  },
  {
    path: recorded('redis.log'),
    format: 'redis',
    count: matches(
      new RegExp(
        `^\\d+:[A-Z] (?<day>\\d+) (?<month>\\w+) (?<year>\\d+) (?<clock>[\\d:]+)\\.(?<ms>\\d+) . ${LINE}`,
        'gm',
      ),
      ({ day, month, year, clock, ms, name = '' }) => ({
        ...{ probe: 'redis', name: name.replace(/(?: [\w-]+=\S*)+$/, '') },
        ...{ time: ns(`${month} ${day} ${year} ${clock}`, ms) },
      }),
    ),
  },
  {
    path: recorded('kernel.log'),
    format: 'kernel',
    count: matches(
      new RegExp(`^\\[ *(?<s>\\d+)\\.(?<us>\\d{6})\\] ${LINE}`, 'gm'),
      ({ s = '', us = '', name = '' }) => ({
        ...{ probe: 'kernel', name, time: BigInt(s) * BILLION + BigInt(us) * 1_000n },
      }),
    ),
  },
];

/** The least and the greatest time of events. */
function rangeOf(events: readonly RawEvent[]): readonly (bigint | undefined)[] {
  const times = events.flatMap(({ time }) => time ?? []).sort((a, b) => (a < b ? -1 : 1));
  return [times[0], times.at(-1)];
}

const distinct = (values: readonly string[]) => [...new Set(values)].sort();

/** The names of each probe's events, in their order. */
function namesByProbe(events: readonly RawEvent[]): Readonly<Record<string, readonly string[]>> {
  const probes = distinct(events.map(({ probe }) => probe));
  return Object.fromEntries(
    probes.map((probe) => [
      probe,
      events.filter((event) => event.probe === probe).map(({ name }) => name),
    ]),
  );
}

/** The events of a session by the id of their span, where they are its start. */
function startsOf(session: Session): ReadonlyMap<string, number> {
  return new Map(
    [...eventRecordsOf(session)].flatMap(({ attributes }, event) =>
      attributes.has('span.start') ? [[String(attributes.get('span.id')?.value), event]] : [],
    ),
  );
}

describe('a file that a program wrote, against a count of its own', () => {
  test.each(FILES.map((file) => [file.path, file] as const))(
    '%s',
    async (path, { format, isOrdered = () => true, count }) => {
      const raw = count(readFileSync(path));
      const read = await readSessionFile(path, { reading: {} });
      expect(read.problems).toEqual([]);
      const session = read.session as Session;
      const events = [...eventRecordsOf(session)];
      const facts = (all: readonly RawEvent[]) => ({
        events: all.length,
        range: rangeOf(all),
        names: distinct(all.map(({ name }) => name)),
        probes: distinct(all.map(({ probe }) => probe)),
      });
      expect(read.format).toBe(format);
      expect(facts(events as readonly RawEvent[])).toEqual(facts(raw.events));
      if (raw.parents === undefined) {
        const inOrder = (all: readonly RawEvent[]) => namesByProbe(all.filter(isOrdered));
        return expect(inOrder(events as readonly RawEvent[])).toEqual(inOrder(raw.events));
      }
      const starts = startsOf(session);
      const isBefore = closure(session);
      const unordered = [...raw.parents].filter(
        ([id, parent]) =>
          parent !== undefined &&
          raw.parents?.has(parent) &&
          !isBefore(starts.get(parent) as number, starts.get(id) as number),
      );
      expect(unordered).toEqual([]);
    },
  );
});
