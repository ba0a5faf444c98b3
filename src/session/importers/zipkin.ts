import { quote } from '../../diagnostics/index.js';
import { defined, type Json, type JsonObject, jsonNumber, jsonObject } from '../../values/index.js';
import { integerFrom, itemsOf, jsonText, membersOf, microsecondsFrom } from './json-access.js';
import { normalizeId, normalizeReference } from './span-ids.js';
import { spanStatus } from './span-status.js';
import type { Traces } from './traces.js';
import { convertWord } from './word-kinds.js';

/**
 * Reads Zipkin spans: an array of spans or of traces, or one span per line. The probe is the local endpoint's
 * `serviceName`. Orders spans as `orderSpans` does. Annotations are events on their span's timeline.
 */
export function readZipkin(document: Json, traces: Traces): void {
  for (const span of extractZipkin(document)) readSpan(membersOf(span), traces);
}

function readSpan(json: JsonObject, traces: Traces): void {
  const service = jsonText(membersOf(json['localEndpoint'])['serviceName']) ?? 'unknown_service';
  const trace = normalizeId(json['traceId']);
  const id = normalizeId(json['id']);
  const start = microsecondsFrom(json['timestamp']);
  if (trace === undefined || id === undefined) {
    traces.problems.addLacking('a traceId and an id', 'span', service);
    return;
  }
  if (start === undefined) {
    const message = `the span ${quote(id)} of ${quote(service)}, in the trace ${quote(trace)}, lacks a timestamp`;
    traces.untimedReports.push({ trace, id, ...traces.problems.location, message });
    return;
  }
  const name = jsonText(json['name']) ?? 'span';
  const parent = normalizeReference(json['parentId']);
  const duration = microsecondsFrom(json['duration']);
  const tags = membersOf(json['tags']);
  const identity = traces.identity({ trace, id }, name, parent);
  const attributes = traces
    .spanAttributes(identity)
    .addText('span.parent.id', identity.parent)
    .add('span.kind', jsonText(json['kind'])?.toLowerCase())
    .add(
      'span.status',
      spanStatus((name) => tags[name]),
    )
    .add('peer.service', jsonText(membersOf(json['remoteEndpoint'])['serviceName']));
  for (const [tag, value] of Object.entries(tags)) {
    attributes.addJson(tag, typeof value === 'string' ? convertWord(value) : value);
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
        time: microsecondsFrom(annotation['timestamp']) || start,
        attributes: traces.spanAttributes(identity),
      })),
  });
}

const CLIENT = ['cs', 'cr'];
const SERVER = ['sr', 'ss'];
const SENDING_VALUES = [...CLIENT, ...SERVER, 'ms', 'mr'];

/**
 * Converts a document to Zipkin spans of version 2. A span of version 1 shared by client and server becomes two spans.
 */
function extractZipkin(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(extractZipkin);
  const span = membersOf(document);
  const isOld =
    span['binaryAnnotations'] !== undefined ||
    itemsOf(span['annotations']).some((item) => membersOf(item)['endpoint'] !== undefined);
  return isOld ? convertVersion1(span) : [document];
}

function convertVersion1(span: JsonObject): readonly Json[] {
  const annotations = itemsOf(span['annotations']).map(membersOf);
  const binary = itemsOf(span['binaryAnnotations']).map(membersOf);
  const annotationOf = (value: string) => annotations.find((item) => item['value'] === value);
  const address = (key: string) => binary.find((item) => item['key'] === key)?.['endpoint'];
  const halves = [
    { kind: 'CLIENT', words: CLIENT, remote: address('sa') },
    { kind: 'SERVER', words: SERVER, remote: address('ca') },
  ].filter(({ words }) => words.some(annotationOf));
  const { traceId, id, name, parentId, timestamp, duration } = span;
  const commonFields = { traceId, id, name, parentId };
  const ownEndpoint = (endpoint: Json | undefined) => {
    const service = jsonText(membersOf(endpoint)['serviceName']);
    const isHere = (item: JsonObject) =>
      halves.length < 2 || jsonText(membersOf(item['endpoint'])['serviceName']) === service;
    const tags = binary.filter((item) => !['sa', 'ca', 'lc'].includes(String(item['key'])));
    return {
      localEndpoint: endpoint,
      tags: jsonObject(
        tags.filter(isHere).map((item) => [String(item['key']), item['value'] ?? null]),
      ),
      annotations: annotations.filter(
        (item) => !SENDING_VALUES.includes(String(item['value'])) && isHere(item),
      ),
    };
  };
  if (halves.length === 0) {
    const endpoint = [...binary, ...annotations].find((item) => item['endpoint'] !== undefined);
    return [
      defined({ ...commonFields, timestamp, duration, ...ownEndpoint(endpoint?.['endpoint']) }),
    ];
  }
  return halves.map(({ kind, words, remote: remoteKey }) => {
    const [first, last] = words.map(annotationOf);
    const start = integerFrom(first?.['timestamp']);
    const end = integerFrom(last?.['timestamp']);
    const elapsed = start === undefined || end === undefined ? undefined : end - start;
    // The span's own times belong to the half that began the span.
    const isOwner = kind === 'CLIENT' || halves.length === 1;
    return defined({
      ...commonFields,
      kind,
      timestamp: (isOwner ? timestamp : undefined) ?? first?.['timestamp'],
      duration:
        (isOwner ? duration : undefined) ??
        (elapsed === undefined ? undefined : jsonNumber(elapsed)),
      remoteEndpoint: remoteKey,
      ...ownEndpoint((first ?? last)?.['endpoint']),
    });
  });
}
