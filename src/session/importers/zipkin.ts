import type { Json, JsonObject } from '../../values/index.js';
import { quoted } from '../problem.js';
import { itemsOf, jsonText, membersOf, microsecondsOf } from './json-access.js';
import { spanAttributes, type Traces } from './traces.js';

/**
 * Reads spans of Zipkin, version 2: a list of spans, a list of traces, or one span a line. The probe is
 * the `serviceName` of the local endpoint. The order is that of `orderSpans`. Annotations are events of
 * their own, on the timeline of their span.
 */
export function readZipkin(documents: readonly Json[], traces: Traces): void {
  const list = documents.flatMap(itemsOrOne).flatMap(itemsOrOne).map(membersOf);
  for (const json of list) readSpan(json, traces);
}

function itemsOrOne(json: Json): readonly Json[] {
  return Array.isArray(json) ? itemsOf(json) : [json];
}

function readSpan(json: JsonObject, traces: Traces): void {
  const service = jsonText(membersOf(json['localEndpoint'])['serviceName']) ?? 'unknown_service';
  const trace = jsonText(json['traceId']);
  const id = jsonText(json['id']);
  const start = microsecondsOf(json['timestamp']);
  if (trace === undefined || id === undefined) {
    const message = `a span of ${quoted(service)} lacks a traceId and an id`;
    traces.problems.add('record', { message });
    return;
  }
  if (start === undefined) {
    const message = `the span ${quoted(id)} of ${quoted(service)}, in the trace ${quoted(trace)}, lacks a timestamp`;
    traces.untimed.push({ trace, id, file: traces.problems.file, message });
    return;
  }
  const name = jsonText(json['name']) ?? 'span';
  const parent = jsonText(json['parentId']);
  const duration = microsecondsOf(json['duration']);
  const key = { trace, id };
  const attributes = spanAttributes(key, name)
    .add('span.parent.id', parent)
    .add('span.kind', jsonText(json['kind'])?.toLowerCase())
    .add('peer.service', jsonText(membersOf(json['remoteEndpoint'])['serviceName']));
  for (const [tag, value] of Object.entries(membersOf(json['tags']))) {
    attributes.addJson(tag, value);
  }
  traces.addSpan({
    service,
    ...key,
    name,
    start,
    end: duration === undefined ? undefined : start + duration,
    parent,
    links: [],
    attributes,
    moments: itemsOf(json['annotations'])
      .map(membersOf)
      .map((annotation) => ({
        service,
        name: jsonText(annotation['value']) ?? 'annotation',
        time: microsecondsOf(annotation['timestamp']) ?? start,
        attributes: spanAttributes(key, name),
      })),
  });
}
