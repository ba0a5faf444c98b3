import type { Json, JsonObject } from '../../values/index.js';
import {
  floatFrom,
  integerFrom,
  itemsOf,
  jsonText,
  membersOf,
  microsecondsFrom,
} from './json-access.js';
import { isSameTrace, normalizeId, normalizeReference } from './span-ids.js';
import { spanStatus } from './span-status.js';
import type { RowAttributes, SpanKey, Traces } from './traces.js';

/**
 * Reads traces from Jaeger's query service or web page, in any order. The probe is the process's `serviceName`. Orders
 * spans as `orderSpans` does: the first CHILD_OF reference to the same trace names the parent, and all other references
 * are links. Logs are separate events, on their span's timeline.
 */
export function readJaeger(document: Json, traces: Traces): void {
  const { problems } = traces;
  for (const answer of toJaeger(document)) {
    const { data } = membersOf(answer);
    const answerTraces = Array.isArray(data) ? itemsOf(data) : [data ?? answer];
    for (const trace of answerTraces.map(membersOf)) {
      if (trace['spans'] === undefined) {
        problems.addLacking('"spans"', 'trace');
      }
      const processes = membersOf(trace['processes']);
      for (const span of itemsOf(trace['spans']).map(membersOf)) {
        const inlineProcess = membersOf(span['process']);
        const process = jsonText(span['processID']);
        const isShared = process !== undefined && Object.hasOwn(processes, process);
        readSpan(span, isShared ? membersOf(processes[process]) : inlineProcess, traces);
      }
    }
  }
}

function readSpan(json: JsonObject, process: JsonObject, traces: Traces): void {
  const service = jsonText(process['serviceName']) ?? 'unknown_service';
  const key = keyOf(json);
  const start = microsecondsFrom(json['startTime']);
  if (key === undefined || start === undefined) {
    const missing = key === undefined ? 'a traceID and a spanID' : 'a startTime';
    traces.problems.addLacking(missing, 'span', service);
    return;
  }
  const name = jsonText(json['operationName']) ?? 'span';
  const { parent, links } = readReferences(json, key);
  const duration = microsecondsFrom(json['duration']);
  const identity = traces.identity(key, name, parent);
  const tagValue = (name: string) =>
    itemsOf(json['tags'])
      .map(membersOf)
      .find(({ key }) => key === name)?.['value'];
  const attributes = traces
    .spanAttributes(identity)
    .addText('span.parent.id', identity.parent)
    .add('span.status', spanStatus(tagValue));
  addTags(attributes, json['tags'], '');
  addTags(attributes, process['tags'], 'process.');
  traces.addSpan({
    service,
    identity,
    start,
    end: duration === undefined ? undefined : start + duration,
    links,
    attributes,
    moments: itemsOf(json['logs']).map((json) => {
      const log = membersOf(json);
      const logAttributes = traces.spanAttributes(identity);
      addTags(logAttributes, log['fields'], '');
      return {
        name: (logAttributes.textOf('event') ?? logAttributes.textOf('message')) || 'log',
        time: microsecondsFrom(log['timestamp']) || start,
        attributes: logAttributes,
      };
    }),
  });
}

function readReferences(
  json: JsonObject,
  spanKey: SpanKey,
): { readonly parent: string | undefined; readonly links: readonly SpanKey[] } {
  const references = itemsOf(json['references']).map(membersOf);
  const parent = references.find(
    (reference) =>
      reference['refType'] === 'CHILD_OF' &&
      isSameTrace(keyOf(reference)?.trace ?? spanKey.trace, spanKey.trace),
  );
  const parentId =
    normalizeReference(parent?.['spanID']) ?? normalizeReference(json['parentSpanID']);
  const links = references.filter((reference) => reference !== parent);
  return {
    parent: parentId,
    links: links.flatMap((reference) => keyOf(reference) ?? []),
  };
}

/** Adds tags as attributes. A tag's type determines whether a number without a fraction is a float. */
function addTags(attributes: RowAttributes, tags: Json | undefined, prefix: string): void {
  for (const { key, type, value } of itemsOf(tags).map(membersOf)) {
    if (typeof key !== 'string') continue;
    const name = prefix + key;
    if (type === 'int64') attributes.add(name, integerFrom(value));
    else if (type === 'float64') attributes.add(name, floatFrom(value));
    else if (type === 'bool' && typeof value === 'string') attributes.add(name, value === 'true');
    else attributes.addJson(name, value);
  }
}

function keyOf(json: JsonObject): SpanKey | undefined {
  const trace = normalizeId(json['traceID']);
  const id = normalizeId(json['spanID']);
  return trace === undefined || id === undefined ? undefined : { trace, id };
}

/**
 * Converts Jaeger's spans from Elasticsearch. Accepts a search response, a document with or without `_source`, or an
 * array of these. Tags may be members of `tag`, with `@` for the dots in their names.
 */
function toJaeger(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(toJaeger);
  const { hits, _source, traceID, spans } = membersOf(document);
  if (hits !== undefined) {
    const documents = itemsOf(membersOf(hits)['hits']);
    return [{ spans: documents.map((hit) => jaegerSpan(membersOf(hit)['_source'])) }];
  }
  if (_source !== undefined) return [{ spans: [jaegerSpan(_source)] }];
  return traceID !== undefined && spans === undefined
    ? [{ spans: [jaegerSpan(document)] }]
    : [document];
}

function jaegerSpan(document: Json | undefined): Json {
  const span = membersOf(document);
  const process = membersOf(span['process']);
  return {
    ...span,
    tags: tagsOf(span),
    ...(span['process'] !== undefined && { process: { ...process, tags: tagsOf(process) } }),
  };
}

function tagsOf({ tags, tag }: JsonObject): Json {
  const members = Object.entries(membersOf(tag));
  return [
    ...itemsOf(tags),
    ...members.map(([key, value]) => ({ key: key.replaceAll('@', '.'), value })),
  ];
}
