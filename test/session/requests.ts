import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Dice } from '../dice.js';

/** A span of a made request; times are in microseconds, as all formats can say them. */
export interface MadeSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly service: string;
  readonly instance: string;
  readonly start: number;
  readonly end: number;
  /** When something happened within it. */
  readonly moments: readonly number[];
  /** Spans, of any trace, that it follows. Only OTLP is written with them. */
  readonly links?: readonly MadeSpan[];
}

/**
 * Requests as services handle them, some at the same time: a span calls others one after the
 * other or at once, now and then without waiting for them.
 */
export function makeRequests(dice: Dice, requests: number): MadeSpan[] {
  const spans: MadeSpan[] = [];
  for (let request = 0; request < requests; request++) {
    const trace = `t${request}`;
    let next = 0;
    const call = (start: number, depth: number, parent?: string): number => {
      const id = `${trace}s${next++}`;
      const service = dice.pick(['web', 'cart', 'stock']);
      const instance = `${service}-${1 + dice.upTo(1)}`;
      let now = start + dice.upTo(2);
      const moments = dice.upTo(2) === 0 ? [now] : [];
      let end = now;
      for (let calls = depth > 2 ? 0 : dice.upTo(3); calls > 0; calls--) {
        const ended = call(now + dice.upTo(1), depth + 1, id);
        if (dice.upTo(5) > 0) end = Math.max(end, ended);
        if (dice.upTo(2) > 0) now = Math.max(now, ended) + dice.upTo(2);
      }
      end = Math.max(end, now) + dice.upTo(2);
      const own = { trace, id, service, instance, start, end, moments };
      spans.push({ ...own, ...(parent !== undefined && { parent }) });
      return end;
    };
    // Not at 0, by which OTLP says that a span has not ended.
    call(1 + dice.upTo(8), 0);
  }
  return spans;
}

/** What orders events: which span called which, or is linked to which; or clocks too. */
type Rules = 'causes' | 'clocks of hosts' | 'all';

/**
 * The pairs of events that are ordered, as `SPAN start -> SPAN end`: from what the docs say, and by
 * trying all there are. Rules that contradict each other order an event before itself.
 */
export function orderedPairs(spans: readonly MadeSpan[], rules: Rules = 'all'): Set<string> {
  const names = spans.flatMap(({ id, moments }) => [
    `${id} start`,
    `${id} end`,
    ...moments.map((_, at) => `${id} moment${at}`),
  ]);
  const numberOf = new Map(names.map((name, at) => [name, at]));
  const before = names.map(() => new Set<number>());
  const order = (earlier: string, later: string) =>
    before[numberOf.get(later) as number]?.add(numberOf.get(earlier) as number);
  const parentOf = ({ trace, parent }: MadeSpan) =>
    spans.find((span) => span.id === parent && span.trace === trace);
  const isThere = (one: MadeSpan, other: MadeSpan) =>
    one.trace === other.trace && one.service === other.service && one.instance === other.instance;
  /** The spans around one, the nearest first; those in a ring, once. */
  const around = (span: MadeSpan): readonly MadeSpan[] => {
    const found: MadeSpan[] = [];
    let outer = parentOf(span);
    while (outer !== undefined && !found.includes(outer)) {
      found.push(outer);
      outer = parentOf(outer);
    }
    return found;
  };
  /** By the clock of its host, on which it is not before the spans around it. */
  const startOf = (span: MadeSpan): number =>
    Math.max(span.start, ...around(span).flatMap((one) => (isThere(span, one) ? one.start : [])));
  const endOf = (span: MadeSpan): number => Math.max(span.end, startOf(span));
  for (const one of spans) {
    order(`${one.id} start`, `${one.id} end`);
    one.moments.forEach((_, at) => {
      order(`${one.id} start`, `${one.id} moment${at}`);
      order(`${one.id} moment${at}`, `${one.id} end`);
    });
    const parent = parentOf(one);
    if (parent !== undefined) order(`${parent.id} start`, `${one.id} start`);
    for (const linked of one.links ?? []) order(`${linked.id} start`, `${one.id} start`);
    const isReturn = parent !== undefined && !isThere(one, parent) && one.end <= parent.end;
    if (rules === 'all' && isReturn) order(`${one.id} end`, `${parent.id} end`);
    for (const other of rules === 'causes' ? [] : spans) {
      if (one === other || !isThere(one, other)) continue;
      const isInner = around(one).includes(other);
      if (isInner && endOf(one) <= endOf(other)) order(`${one.id} end`, `${other.id} end`);
      if (endOf(one) < startOf(other)) order(`${one.id} end`, `${other.id} start`);
    }
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const own of before) {
      const size = own.size;
      for (const earlier of [...own]) for (const more of before[earlier] ?? []) own.add(more);
      if (own.size > size) changed = true;
    }
  }
  return new Set(
    before.flatMap((own, to) => [...own].map((from) => `${names[from]} -> ${names[to]}`)),
  );
}

const MICROSECOND = 1000;

/** The groups of OTLP, with ids as they are or as `write` has them. */
function otlpGroups(spans: readonly MadeSpan[], write = (id: string, _length: number) => id) {
  return spans.map((span) => ({
    resource: {
      attributes: [
        { key: 'service.name', value: { stringValue: span.service } },
        { key: 'service.instance.id', value: { stringValue: span.instance } },
      ],
    },
    scopeSpans: [
      {
        spans: [
          {
            traceId: write(span.trace, 16),
            spanId: write(span.id, 8),
            parentSpanId: span.parent && write(span.parent, 8),
            name: 'call',
            startTimeUnixNano: String(span.start * MICROSECOND),
            endTimeUnixNano: String(span.end * MICROSECOND),
            links: span.links?.map(({ trace, id }) => ({
              traceId: write(trace, 16),
              spanId: write(id, 8),
            })),
            events: span.moments.map((time, at) => ({
              name: `moment${at}`,
              timeUnixNano: String(time * MICROSECOND),
            })),
          },
        ],
      },
    ],
  }));
}

function idBytes(id: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.write(id);
  return bytes;
}

const base64 = (id: string, length: number) => idBytes(id, length).toString('base64');

/** An id as it was made, of one that went through bytes. */
export function madeId(id: string): string {
  return id.length === 16 ? Buffer.from(id, 'hex').toString().replace(/\0+$/, '') : id;
}

function otlpBinary(spans: readonly MadeSpan[]): Uint8Array {
  const request = new BinaryWriter();
  const message = (to: BinaryWriter, field: number, of: BinaryWriter) =>
    to.tag(field, 2).bytes(of.finish());
  const keyValue = (key: string, value: string) =>
    message(
      new BinaryWriter().tag(1, 2).string(key),
      2,
      new BinaryWriter().tag(1, 2).string(value),
    );
  for (const span of spans) {
    const resource = new BinaryWriter();
    message(resource, 1, keyValue('service.name', span.service));
    message(resource, 1, keyValue('service.instance.id', span.instance));
    const own = new BinaryWriter().tag(1, 2).bytes(idBytes(span.trace, 16));
    own.tag(2, 2).bytes(idBytes(span.id, 8));
    if (span.parent !== undefined) own.tag(4, 2).bytes(idBytes(span.parent, 8));
    own.tag(5, 2).string('call');
    own.tag(7, 1).fixed64(BigInt(span.start * MICROSECOND));
    own.tag(8, 1).fixed64(BigInt(span.end * MICROSECOND));
    for (const [at, time] of span.moments.entries()) {
      const event = new BinaryWriter().tag(1, 1).fixed64(BigInt(time * MICROSECOND));
      message(own, 11, event.tag(2, 2).string(`moment${at}`));
    }
    const group = message(new BinaryWriter(), 1, resource);
    message(request, 1, message(group, 2, message(new BinaryWriter(), 2, own)));
  }
  return request.finish();
}

function jaegerSpan(span: MadeSpan) {
  return {
    traceID: span.trace,
    spanID: span.id,
    operationName: 'call',
    references:
      span.parent === undefined
        ? []
        : [{ refType: 'CHILD_OF', traceID: span.trace, spanID: span.parent }],
    startTime: span.start,
    duration: span.end - span.start,
    logs: span.moments.map((time, at) => ({
      timestamp: time,
      fields: [{ key: 'event', type: 'string', value: `moment${at}` }],
    })),
  };
}

function jaegerProcess({ service, instance }: MadeSpan) {
  const tags = [{ key: 'service.instance.id', type: 'string', value: instance }];
  return { serviceName: service, tags };
}

/** What both versions of Zipkin say of a span. */
function inZipkin({ trace, id, parent, start, end }: MadeSpan) {
  return {
    ...{ traceId: trace, id, parentId: parent, name: 'call' },
    ...{ timestamp: start, duration: end - start },
  };
}

/** Of each format of spans, how it writes them. */
export const WRITERS: Readonly<
  Record<string, (spans: readonly MadeSpan[]) => string | Uint8Array>
> = {
  otlp: (spans) => JSON.stringify({ resourceSpans: otlpGroups(spans) }),
  'otlp, as JSON Lines': (spans) =>
    otlpGroups(spans)
      .map((group) => `${JSON.stringify({ resourceSpans: [group] })}\n`)
      .join(''),
  'otlp, as protobuf': otlpBinary,
  "Tempo's API": (spans) => JSON.stringify({ batches: otlpGroups(spans, base64) }),
  "Tempo's API, version 2": (spans) =>
    JSON.stringify({ trace: { resourceSpans: otlpGroups(spans, base64) } }, null, 1),
  jaeger: (spans) =>
    JSON.stringify({
      data: [...new Set(spans.map(({ trace }) => trace))].map((trace) => {
        const own = spans.filter((span) => span.trace === trace);
        return {
          traceID: trace,
          spans: own.map((span, at) => ({ ...jaegerSpan(span), processID: `p${at}` })),
          processes: Object.fromEntries(own.map((span, at) => [`p${at}`, jaegerProcess(span)])),
        };
      }),
    }),
  'jaeger, as documents of Elasticsearch': (spans) =>
    spans
      .map((span) => ({ _source: { ...jaegerSpan(span), process: jaegerProcess(span) } }))
      .map((hit) => `${JSON.stringify(hit)}\n`)
      .join(''),
  'zipkin, version 1': (spans) =>
    JSON.stringify(
      spans.map((span) => {
        const endpoint = { serviceName: span.service };
        return {
          ...inZipkin(span),
          annotations: span.moments.map((timestamp, at) => ({
            ...{ timestamp, value: `moment${at}`, endpoint },
          })),
          binaryAnnotations: [{ key: 'service.instance.id', value: span.instance, endpoint }],
        };
      }),
    ),
  zipkin: (spans) =>
    JSON.stringify(
      spans.map((span) => ({
        ...inZipkin(span),
        localEndpoint: { serviceName: span.service },
        tags: { 'service.instance.id': span.instance },
        annotations: span.moments.map((time, at) => ({ timestamp: time, value: `moment${at}` })),
      })),
    ),
};
