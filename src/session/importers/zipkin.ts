import { quote } from '../../diagnostics/index.js';
import { defined, type Json, type JsonObject, jsonNumber, jsonObject } from '../../values/index.js';
import { itemsOf, jsonText, membersOf, microsecondsOf, wholeOf } from './json-access.js';
import { idOf, otherIdOf } from './span-ids.js';
import { statusOf } from './span-status.js';
import type { Traces } from './traces.js';
import { plainValue } from './word-kinds.js';

/**
 * Reads Zipkin spans: a list of spans, a list of traces, or one span per line. The probe is the `serviceName` of
 * the local endpoint. The order is that of `orderSpans`. Annotations are events on their span's timeline.
 */
export function readZipkin(document: Json, traces: Traces): void {
  for (const span of toZipkin(document)) readSpan(membersOf(span), traces);
}

function readSpan(json: JsonObject, traces: Traces): void {
  const service = jsonText(membersOf(json['localEndpoint'])['serviceName']) ?? 'unknown_service';
  const trace = idOf(json['traceId']);
  const id = idOf(json['id']);
  const start = microsecondsOf(json['timestamp']);
  if (trace === undefined || id === undefined) {
    traces.problems.addLacking('a traceId and an id', 'span', service);
    return;
  }
  if (start === undefined) {
    const message = `the span ${quote(id)} of ${quote(service)}, in the trace ${quote(trace)}, lacks a timestamp`;
    traces.untimed.push({ trace, id, ...traces.problems.place, message });
    return;
  }
  const name = jsonText(json['name']) ?? 'span';
  const parent = otherIdOf(json['parentId']);
  const duration = microsecondsOf(json['duration']);
  const tags = membersOf(json['tags']);
  const identity = traces.identity({ trace, id }, name, parent);
  const attributes = traces
    .spanAttributes(identity)
    .addText('span.parent.id', identity.parent)
    .add('span.kind', jsonText(json['kind'])?.toLowerCase())
    .add(
      'span.status',
      statusOf((name) => tags[name]),
    )
    .add('peer.service', jsonText(membersOf(json['remoteEndpoint'])['serviceName']));
  for (const [tag, value] of Object.entries(tags)) {
    attributes.addJson(tag, typeof value === 'string' ? plainValue(value) : value);
  }
  traces.addSpan({
    service,
    identity,
    start,
    end: duration === undefined ? undefined : start + duration,
    links: [],
    attributes,
    moments: itemsOf(json['annotations'])
      .map(membersOf)
      .map((annotation) => ({
        name: jsonText(annotation['value']) ?? 'annotation',
        time: microsecondsOf(annotation['timestamp']) || start,
        attributes: traces.spanAttributes(identity),
      })),
  });
}

const CLIENT = ['cs', 'cr'];
const SERVER = ['sr', 'ss'];
const OF_SENDING = [...CLIENT, ...SERVER, 'ms', 'mr'];

/** Converts to Zipkin spans of version 2; one of version 1 that client and server share becomes two. */
function toZipkin(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(toZipkin);
  const span = membersOf(document);
  const isOld =
    span['binaryAnnotations'] !== undefined ||
    itemsOf(span['annotations']).some((one) => membersOf(one)['endpoint'] !== undefined);
  return isOld ? fromVersion1(span) : [document];
}

function fromVersion1(span: JsonObject): readonly Json[] {
  const annotations = itemsOf(span['annotations']).map(membersOf);
  const binary = itemsOf(span['binaryAnnotations']).map(membersOf);
  const of = (value: string) => annotations.find((one) => one['value'] === value);
  const address = (key: string) => binary.find((one) => one['key'] === key)?.['endpoint'];
  const halves = [
    { kind: 'CLIENT', words: CLIENT, remote: address('sa') },
    { kind: 'SERVER', words: SERVER, remote: address('ca') },
  ].filter(({ words }) => words.some(of));
  const { traceId, id, name, parentId, timestamp, duration } = span;
  const common = { traceId, id, name, parentId };
  const own = (endpoint: Json | undefined) => {
    const service = jsonText(membersOf(endpoint)['serviceName']);
    const isHere = (one: JsonObject) =>
      halves.length < 2 || jsonText(membersOf(one['endpoint'])['serviceName']) === service;
    const tags = binary.filter((one) => !['sa', 'ca', 'lc'].includes(String(one['key'])));
    return {
      localEndpoint: endpoint,
      tags: jsonObject(
        tags.filter(isHere).map((one) => [String(one['key']), one['value'] ?? null]),
      ),
      annotations: annotations.filter(
        (one) => !OF_SENDING.includes(String(one['value'])) && isHere(one),
      ),
    };
  };
  if (halves.length === 0) {
    const endpoint = [...binary, ...annotations].find((one) => one['endpoint'] !== undefined);
    return [defined({ ...common, timestamp, duration, ...own(endpoint?.['endpoint']) })];
  }
  return halves.map(({ kind, words, remote }) => {
    const [first, last] = words.map(of);
    const start = wholeOf(first?.['timestamp']);
    const end = wholeOf(last?.['timestamp']);
    const took = start === undefined || end === undefined ? undefined : end - start;
    // The span's own times are those of the side that began it.
    const isOwner = kind === 'CLIENT' || halves.length === 1;
    return defined({
      ...common,
      kind,
      timestamp: (isOwner ? timestamp : undefined) ?? first?.['timestamp'],
      duration:
        (isOwner ? duration : undefined) ?? (took === undefined ? undefined : jsonNumber(took)),
      remoteEndpoint: remote,
      ...own((first ?? last)?.['endpoint']),
    });
  });
}
