import { readFileSync } from 'node:fs';
import { shop } from '../../examples/sessions/shop.js';

/*
 * The recorded sessions in examples/, read as plainly as can be, for counts that are independent of
 * Perturb: this shares no code with it. The order is a transitive closure, one set for each event.
 */

/** @typedef {Readonly<Record<string, any>>} PlainEvent attributes by their names */

/**
 * @typedef {{
 *   readonly events: readonly PlainEvent[],
 *   readonly isBefore: (a: PlainEvent, b: PlainEvent) => boolean,
 * }} PlainSession
 */

/** @typedef {readonly [PlainEvent, PlainEvent]} Edge the first happened before the second */

/** A session by the name of its file. @param {string} name @returns {PlainSession} */
export function readPlain(name) {
  const text = textOf(name);
  if (name.endsWith('.log')) return fromClocks(text);
  if (name.endsWith('.session.jsonl')) return fromRecords(text);
  if (name.includes('zipkin')) return fromZipkin(JSON.parse(text));
  const documents = name.endsWith('.jsonl') ? text.trimEnd().split('\n') : [text];
  return fromOtlp(documents.map((document) => JSON.parse(document)));
}

/** What is in a file of examples/sessions, or comes of the script of this name. @param {string} name */
export function textOf(name) {
  if (name === 'shop.otlp.jsonl') return shop();
  return readFileSync(new URL(`../../examples/sessions/${name}`, import.meta.url), 'utf8');
}

/** A log with a host and its vector clock above each event. @param {string} text */
function fromClocks(text) {
  const lines = text.split('\n').map((line) => line.trimEnd());
  /** @type {{ event: PlainEvent, clock: Record<string, number> }[]} */
  const entries = lines.flatMap((line, at) => {
    const [, probe, json] = /^(\S+) (\{.*\})$/.exec(line) ?? [];
    if (probe === undefined || json === undefined) return [];
    const clock = JSON.parse(json);
    return [{ event: { probe, name: lines[at + 1] ?? '', seq: clock[probe] }, clock }];
  });
  const byPlace = new Map(entries.map(({ event }) => [`${event['probe']} ${event['seq']}`, event]));
  const edges = entries.flatMap(({ event, clock }) =>
    Object.entries(clock).flatMap(([probe, entry]) => {
      const earlier = byPlace.get(`${probe} ${probe === event['probe'] ? entry - 1 : entry}`);
      return earlier === undefined ? [] : [/** @type {Edge} */ ([earlier, event])];
    }),
  );
  return ordered(
    entries.map(({ event }) => event),
    edges,
  );
}

/** Perturb's own records, whose interactions are all in `after`. @param {string} text */
function fromRecords(text) {
  const records = text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => ({ ...JSON.parse(line), time: BigInt(/"time":(\d+)/.exec(line)?.[1] ?? 0) }));
  /** @type {Map<string, PlainEvent>} */
  const byId = new Map();
  /** @type {Edge[]} */
  const edges = [];
  const events = records.map(({ probe, name, seq, time, id, after, attributes }) => {
    const event = { probe, name, seq, time, ...attributes };
    byId.set(id, event);
    for (const sender of after ?? []) {
      const earlier = byId.get(sender);
      if (earlier === undefined) throw new Error(`${sender} comes later in the file`);
      edges.push([earlier, event]);
    }
    return event;
  });
  return ordered(events, [...edges, ...ofProbes(events)]);
}

/**
 * A span: its attributes, when it began and ended, the span that it is a part of, and those it is linked to.
 *
 * @typedef {{ of: PlainEvent, start: bigint, end: bigint, parent?: Span | undefined, links?: Span[] }} Span
 */

/** Spans of Zipkin, of which two services may share one: the server's is a part of the client's. @param {any[]} json */
function fromZipkin(json) {
  const spans = json.map(toSpan);
  const isServer = (/** @type {any} */ span) => span.kind !== 'CLIENT';
  const find = (/** @type {string} */ id, /** @type {boolean} */ server) =>
    spans[json.findIndex((span) => span.id === id && isServer(span) === server)];
  for (const [at, span] of json.entries()) {
    const shares = isServer(span) ? find(span.id, false) : undefined;
    const parent = shares ?? find(span.parentId, true) ?? find(span.parentId, false);
    Object.assign(/** @type {Span} */ (spans[at]), { parent });
  }
  const notes = json.flatMap(({ localEndpoint, annotations = [], ...span }, at) =>
    annotations.map((/** @type {any} */ { value, timestamp }) => ({
      span: spans[at],
      event: {
        probe: localEndpoint.serviceName,
        name: value,
        time: BigInt(timestamp) * 1000n,
        'trace.id': span.traceId,
        'span.id': span.id,
        'span.name': span.name,
      },
    })),
  );
  return ofSpans(spans, notes);
}

/** Zipkin counts microseconds. @param {any} json @returns {Span} */
function toSpan({ localEndpoint, traceId, id, parentId, kind, name, tags, timestamp, duration }) {
  const start = BigInt(timestamp) * 1000n;
  return {
    start,
    end: start + BigInt(duration) * 1000n,
    of: {
      probe: localEndpoint.serviceName,
      name,
      'trace.id': traceId,
      'span.id': id,
      'span.name': name,
      ...(parentId && { 'span.parent.id': parentId }),
      ...(kind && { 'span.kind': kind.toLowerCase() }),
      ...tags,
    },
  };
}

/** Batches of one resource and one scope each. @param {any[]} batches */
function fromOtlp(batches) {
  const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
  const statuses = ['unset', 'ok', 'error'];
  const attributesOf = (/** @type {any} */ { attributes = [] }) =>
    Object.fromEntries(
      attributes.map((/** @type {any} */ { key, value: { intValue, ...value } }) => [
        key,
        intValue === undefined ? Object.values(value)[0] : BigInt(intValue),
      ]),
    );
  const records = (
    /** @type {string} */ groups,
    /** @type {string} */ scopes,
    /** @type {string} */ of,
  ) =>
    batches.flatMap(({ [groups]: [group] = [] }) =>
      (group?.[scopes] ?? []).flatMap((/** @type {any} */ scope) =>
        (scope[of] ?? []).map((/** @type {any} */ record) => ({
          record,
          probe: group.resource.attributes[0].value.stringValue,
        })),
      ),
    );
  const all = records('resourceSpans', 'scopeSpans', 'spans').map(({ record, probe }) => {
    const { traceId, spanId, parentSpanId, name, kind, status } = record;
    const own = {
      'trace.id': traceId.toLowerCase(),
      'span.id': spanId.toLowerCase(),
      'span.name': name,
    };
    /** @type {Span} */
    const span = {
      start: BigInt(record.startTimeUnixNano),
      end: BigInt(record.endTimeUnixNano),
      of: {
        ...{ probe, name, ...own, 'span.kind': kinds[kind] },
        ...(status && { 'span.status': statuses[status.code] }),
        ...(parentSpanId && { 'span.parent.id': parentSpanId.toLowerCase() }),
        ...attributesOf(record),
      },
    };
    return { record, span, own };
  });
  const find = (/** @type {string} */ id) => all.find(({ record }) => record.spanId === id)?.span;
  for (const { record, span } of all) {
    span.parent = find(record.parentSpanId);
    span.links = (record.links ?? []).flatMap(
      (/** @type {any} */ { spanId }) => find(spanId) ?? [],
    );
  }
  const moments = all.flatMap(({ record, span, own }) =>
    (record.events ?? []).map((/** @type {any} */ { name, timeUnixNano, ...event }) => ({
      span,
      event: {
        probe: span.of['probe'],
        name,
        time: BigInt(timeUnixNano),
        ...own,
        ...attributesOf(event),
      },
    })),
  );
  const logs = records('resourceLogs', 'scopeLogs', 'logRecords').map(({ record: log, probe }) => ({
    span: find(log.spanId),
    event: {
      ...{ probe, name: log.body.stringValue, time: BigInt(log.timeUnixNano) },
      ...(log.spanId && { 'trace.id': log.traceId, 'span.id': log.spanId }),
      'log.severity': log.severityText,
      'log.severity.number': BigInt(log.severityNumber),
      ...attributesOf(log),
    },
  }));
  return ofSpans(
    all.map(({ span }) => span),
    [...moments, ...logs],
  );
}

/**
 * A service is ordered by time within a trace, but for spans that run beside each other: of these,
 * the end of one comes before later starts. Between services, a start comes before those of its
 * parts, and of what is linked to it; the end of a part that is no later comes before that of the whole.
 *
 * @param {readonly Span[]} spans @param {readonly { span: Span | undefined, event: PlainEvent }[]} moments
 */
function ofSpans(spans, moments) {
  const starts = new Map(
    spans.map((span) => [span, { ...span.of, time: span.start, 'span.start': true }]),
  );
  const ends = new Map(
    spans.map((span) => [
      span,
      { ...span.of, time: span.end, 'span.end': true, 'span.duration': span.end - span.start },
    ]),
  );
  /** The outermost span around one at its service. @param {Span} span @returns {Span} */
  const whole = (span) => {
    const { parent } = span;
    return parent && parent.of['probe'] === span.of['probe'] ? whole(parent) : span;
  };
  /** @type {Map<Span | undefined, PlainEvent[]>} */
  const together = new Map();
  const put = (/** @type {Span | undefined} */ span, /** @type {PlainEvent} */ event) => {
    const of = span && whole(span);
    together.set(of, [...(together.get(of) ?? []), event]);
  };
  for (const [span, event] of [...starts, ...ends]) put(span, event);
  for (const { span, event } of moments) put(span, event);
  const edge = (
    /** @type {ReadonlyMap<Span, PlainEvent>} */ from,
    /** @type {Span} */ a,
    /** @type {ReadonlyMap<Span, PlainEvent>} */ to,
    /** @type {Span} */ b,
  ) => /** @type {Edge} */ ([from.get(a), to.get(b)]);
  const edges = spans.flatMap((span) => {
    const { parent, links = [], of } = span;
    const linked = links.map((link) => edge(starts, link, starts, span));
    const later = spans.filter(
      ({ of: { probe, 'trace.id': trace }, start }) =>
        probe === of['probe'] && trace === of['trace.id'] && span.end < start,
    );
    const after = later.map((one) => edge(ends, span, starts, one));
    if (parent === undefined) return [...linked, ...after];
    const called = edge(starts, parent, starts, span);
    const answered = span.end > parent.end ? [] : [edge(ends, span, ends, parent)];
    return [...linked, ...after, called, ...answered];
  });
  const byTime = (/** @type {PlainEvent} */ a, /** @type {PlainEvent} */ b) =>
    Number(a['time'] - b['time']);
  const inOrder = [...together.values()].flatMap((events) => ofProbes(events.sort(byTime)));
  return ordered([...together.values()].flat().sort(byTime), [...edges, ...inOrder]);
}

/** The events of each probe follow one another as they are given. @param {readonly PlainEvent[]} events */
function ofProbes(events) {
  /** @type {Map<unknown, PlainEvent>} */
  const last = new Map();
  return events.flatMap((event) => {
    const earlier = last.get(event['probe']);
    last.set(event['probe'], event);
    if (earlier === undefined) return [];
    if (earlier['time'] === event['time'] && earlier['seq'] === undefined) {
      throw new Error(`${event['probe']} has two events at ${event['time']}`);
    }
    return [/** @type {Edge} */ ([earlier, event])];
  });
}

/** @param {readonly PlainEvent[]} events @param {readonly Edge[]} edges @returns {PlainSession} */
function ordered(events, edges) {
  const direct = new Map(events.map((event) => [event, /** @type {PlainEvent[]} */ ([])]));
  for (const [a, b] of edges) direct.get(b)?.push(a);
  /** @type {Map<PlainEvent, Set<PlainEvent>>} */
  const before = new Map();
  const visit = (/** @type {PlainEvent} */ event) => {
    const known = before.get(event);
    if (known !== undefined) return known;
    const all = new Set(direct.get(event));
    before.set(event, all);
    for (const earlier of direct.get(event) ?? []) {
      for (const one of visit(earlier)) all.add(one);
    }
    if (all.has(event)) throw new Error(`${event['name']} happened before itself`);
    return all;
  };
  for (const event of events) visit(event);
  return { events, isBefore: (a, b) => before.get(b)?.has(a) === true };
}

/** @param {PlainSession} session */
export function waysInto({ events, isBefore }) {
  return {
    named: (/** @type {RegExp} */ pattern) => events.filter(({ name }) => pattern.test(name)),
    concurrent: (/** @type {PlainEvent} */ a, /** @type {PlainEvent} */ b) =>
      a !== b && !isBefore(a, b) && !isBefore(b, a),
    /**
     * Each event with those of others that come next after it, of those that may follow it.
     *
     * @param {readonly PlainEvent[]} from @param {readonly PlainEvent[]} others
     * @param {(a: PlainEvent, b: PlainEvent) => boolean} mayFollow
     */
    next: (from, others, mayFollow = () => true) =>
      from.flatMap((a) => {
        const after = others.filter((b) => isBefore(a, b) && mayFollow(a, b));
        const first = after.filter((b) => !after.some((x) => isBefore(x, b)));
        return first.map((b) => /** @type {const} */ ([a, b]));
      }),
  };
}

/** @param {string} name @returns {(a: PlainEvent, b: PlainEvent) => boolean} */
export function sameIn(name) {
  return (a, b) => a[name] === b[name];
}

/**
 * @param {readonly PlainEvent[]} first @param {readonly PlainEvent[]} second
 * @param {(a: PlainEvent, b: PlainEvent) => boolean} keep
 */
export function pairs(first, second, keep) {
  return first.flatMap((a) =>
    second.flatMap((b) => (keep(a, b) ? [/** @type {const} */ ([a, b])] : [])),
  );
}

/** @template Item @param {readonly Item[]} items @param {(item: Item) => unknown} keyOf */
export function grouped(items, keyOf) {
  const keys = [...new Set(items.map(keyOf))];
  return keys.map((key) => items.filter((item) => keyOf(item) === key));
}

/** The least value that so many of a hundred do not exceed. @param {number} percent @param {readonly (bigint | number)[]} values */
export function percentile(percent, values) {
  return values
    .filter((value) => values.filter((one) => one <= value).length * 100 >= percent * values.length)
    .reduce((a, b) => (b < a ? b : a));
}

/**
 * The events in each full window.
 *
 * @param {readonly PlainEvent[]} events @param {bigint} length
 * @param {{ start: bigint, end: bigint }} extent
 */
export function windows(events, length, { start, end }) {
  const all = [];
  for (let from = start; from + length <= end; from += length) {
    all.push(events.filter(({ time }) => time >= from && time < from + length));
  }
  return all;
}

/** The first and the last time. @param {readonly PlainEvent[]} events */
export function extentOf(events) {
  const times = events.map((event) => /** @type {bigint} */ (event['time']));
  return {
    start: times.reduce((a, b) => (b < a ? b : a)),
    end: times.reduce((a, b) => (b > a ? b : a)),
  };
}

/** What is left, as an expression counts it. @param {readonly unknown[]} left */
export function number(left) {
  return { bindings: left.length, left: [left.length] };
}
