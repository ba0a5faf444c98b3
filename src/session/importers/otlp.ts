import { lastIndexAtMost } from '../../source/index.js';
import { isJsonObject, type Json, type JsonObject } from '../../values/index.js';
import type { SessionValue } from '../builder.js';
import { Problems } from '../problem.js';
import type { Session } from '../session.js';
import { consoleSpanToOtlp, isConsoleSpan } from './console-spans.js';
import {
  floatFrom,
  integerFrom,
  itemsOf,
  jsonText,
  MAX_VALUE_DEPTH,
  membersOf,
} from './json-access.js';
import { orderSpans } from './order-spans.js';
import { normalizeId, normalizeReference } from './span-ids.js';
import { spanStatus } from './span-status.js';
import { type RowAttributes, type SpanKey, Traces } from './traces.js';

const SPAN_KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

/** A session imported from OTLP documents. */
export interface ImportedOtlp {
  readonly session: Session;
  /** For each event, the index of the first document that contains the event. */
  readonly documentOf: Int32Array;
}

/**
 * Imports traces and logs from OTLP JSON documents, in any order. The probe is the resource's `service.name`. Orders
 * spans as `orderSpans` does. Span events and log records are separate events, on their span's timeline.
 *
 * @param problems receives problems of omitted records
 */
export function importOtlp(documents: readonly Json[], problems = new Problems()): ImportedOtlp {
  const traces = new Traces(problems);
  const firstRows = documents.map((document) => {
    const first = traces.size;
    readOtlp(document, traces);
    return first;
  });
  traces.settle();
  const { session, positions } = orderSpans(traces);
  const documentOf = new Int32Array(session.size);
  for (const [event, position] of positions.entries()) {
    if (position < 0) continue;
    const row = traces.table.rowOf(event);
    documentOf[position] = lastIndexAtMost(row, firstRows.length, (at) => firstRows[at] as number);
  }
  return { session, documentOf };
}

/**
 * Extracts OTLP from API responses, such as Tempo's and Jaeger's, from documents with other key names, or from arrays
 * of these.
 */
function extractOtlp(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(extractOtlp);
  const { batches, trace, result } = membersOf(document);
  const content = trace ?? result ?? null;
  if (isConsoleSpan(document)) return [consoleSpanToOtlp(document)];
  if (isJsonObject(content)) return extractOtlp(content);
  return [batches === undefined ? document : { resourceSpans: batches }];
}

/** Adds the contents of an OTLP JSON document, or of an API response with such a document, to the traces. */
export function readOtlp(document: Json, traces: Traces): void {
  const { problems } = traces;
  for (const part of extractOtlp(document)) {
    const { resourceSpans, resourceLogs, resourceMetrics } = membersOf(part);
    traces.hasMetrics ||= resourceMetrics !== undefined;
    if ((resourceSpans ?? resourceLogs ?? resourceMetrics) === undefined) {
      problems.addLacking('"resourceSpans" and "resourceLogs"', 'document');
    }
    for (const group of itemsOf(resourceSpans)) readGroup(group, SPANS, traces);
    for (const group of itemsOf(resourceLogs)) readGroup(group, LOGS, traces);
  }
}

/** A kind of record: the keys of its groups, and the function that reads a record. */
interface RecordKind {
  readonly scopes: readonly string[];
  readonly records: string;
  readonly readRecord: (json: JsonObject, source: Source, traces: Traces) => void;
}

const SPANS: RecordKind = {
  scopes: ['scopeSpans', 'instrumentationLibrarySpans'],
  records: 'spans',
  readRecord: readSpan,
};

const LOGS: RecordKind = {
  scopes: ['scopeLogs', 'instrumentationLibraryLogs'],
  records: 'logRecords',
  readRecord: readLog,
};

/** The source of a record: its service, and the attributes of its resource and scope. */
interface Source {
  readonly service: string;
  readonly origin: RowAttributes;
}

function readGroup(group: Json, { scopes, records, readRecord }: RecordKind, traces: Traces): void {
  const members = membersOf(group);
  const resource = membersOf(members['resource'])['attributes'];
  const name = itemsOf(resource)
    .map(membersOf)
    .find(({ key }) => key === 'service.name');
  const service = jsonText(membersOf(name?.['value'])['stringValue']) ?? 'unknown_service';
  for (const scopeGroup of scopes.flatMap((key) => itemsOf(members[key]))) {
    const scopeMembers = membersOf(scopeGroup);
    const scope = membersOf(scopeMembers['scope'] ?? scopeMembers['instrumentationLibrary']);
    const origin = traces.origin();
    const resourceAttributes = itemsOf(resource).filter(
      (attribute) => membersOf(attribute)['key'] !== 'service.name',
    );
    addOtlpAttributes(origin, resourceAttributes, 'resource.');
    origin.add('scope.name', jsonText(scope['name']));
    for (const record of itemsOf(scopeMembers[records])) {
      readRecord(membersOf(record), { service, origin }, traces);
    }
  }
}

function readSpan(json: JsonObject, { service, origin }: Source, traces: Traces): void {
  const key = keyOf(json);
  const start = integerFrom(json['startTimeUnixNano']);
  if (key === undefined || start === undefined) {
    const missing = key === undefined ? 'a traceId and a spanId' : 'a startTimeUnixNano';
    traces.problems.addLacking(missing, 'span', service);
    return;
  }
  const name = jsonText(json['name']) ?? 'span';
  const identity = traces.identity(key, name, normalizeReference(json['parentSpanId']));
  const end = integerFrom(json['endTimeUnixNano']);
  const status = enumWord(membersOf(json['status'])['code'], STATUSES, 'STATUS_CODE_');
  const attributeValue = (name: string) => {
    const { value } =
      itemsOf(json['attributes'])
        .map(membersOf)
        .find(({ key }) => key === name) ?? {};
    const { stringValue, boolValue, intValue } = membersOf(value);
    return stringValue ?? boolValue ?? intValue;
  };
  const attributes = traces
    .spanAttributes(identity, origin)
    .addText('span.parent.id', identity.parent)
    .add('span.kind', enumWord(json['kind'], SPAN_KINDS, 'SPAN_KIND_'))
    .add('span.status', spanStatus(attributeValue, status));
  addOtlpAttributes(attributes, json['attributes']);
  traces.addSpan({
    service,
    identity,
    start,
    // OTLP writes an absent time as 0.
    end: end === 0n ? undefined : end,
    links: itemsOf(json['links']).flatMap((link) => keyOf(membersOf(link)) ?? []),
    attributes,
    moments: itemsOf(json['events']).map((json) => {
      const event = membersOf(json);
      const eventAttributes = traces.spanAttributes(identity, origin);
      addOtlpAttributes(eventAttributes, event['attributes']);
      return {
        name: jsonText(event['name']) ?? 'event',
        time: integerFrom(event['timeUnixNano']) || start,
        attributes: eventAttributes,
      };
    }),
  });
}

function readLog(json: JsonObject, { service, origin }: Source, traces: Traces): void {
  const time = [json['timeUnixNano'], json['observedTimeUnixNano']]
    .map(integerFrom)
    .find((candidate) => candidate !== undefined && candidate !== 0n);
  if (time === undefined) {
    traces.problems.addLacking('a time', 'log record', service);
    return;
  }
  const body = membersOf(json['body']);
  const attributes = traces
    .attributes(origin)
    .add('trace.id', normalizeReference(json['traceId']))
    .add('span.id', normalizeReference(json['spanId']))
    .add('log.severity', jsonText(json['severityText']))
    .add('log.severity.number', integerFrom(json['severityNumber']));
  addOtlpValue(attributes, 'log.body', body);
  addOtlpAttributes(attributes, json['attributes']);
  const name =
    jsonText(json['eventName']) ??
    (attributes.textOf('event.name') || undefined) ??
    jsonText(body['stringValue']) ??
    'log';
  traces.addLog({ service, name, time, attributes });
}

function keyOf(json: JsonObject): SpanKey | undefined {
  const trace = normalizeId(json['traceId']);
  const id = normalizeId(json['spanId']);
  return trace === undefined || id === undefined ? undefined : { trace, id };
}

/** Returns the word for an enumeration value, written as a number or by name. */
function enumWord(
  json: Json | undefined,
  words: readonly string[],
  prefix: string,
): string | undefined {
  if (typeof json === 'string' && json.startsWith(prefix)) {
    return json.slice(prefix.length).toLowerCase();
  }
  const at = integerFrom(json);
  return at === undefined ? undefined : words[Number(at)];
}

/** Adds an OTLP key-value list, with a prefix before each key. */
function addOtlpAttributes(
  attributes: RowAttributes,
  list: Json | undefined,
  prefix = '',
  depth = 0,
): void {
  for (const entry of itemsOf(list)) {
    const { key, value } = membersOf(entry);
    if (typeof key === 'string') addOtlpValue(attributes, prefix + key, value, depth);
  }
}

/** Adds an OTLP value. Names the items of lists `NAME.INDEX`, and the values of maps `NAME.KEY`. */
function addOtlpValue(
  attributes: RowAttributes,
  name: string,
  json: Json | undefined,
  depth = 0,
): void {
  if (depth > MAX_VALUE_DEPTH) return;
  const value = membersOf(json);
  const scalar = scalarValue(value);
  if (scalar !== undefined) {
    attributes.add(name, scalar);
    return;
  }
  const { arrayValue, kvlistValue } = value;
  for (const [index, item] of itemsOf(membersOf(arrayValue)['values']).entries()) {
    addOtlpValue(attributes, `${name}.${index}`, item, depth + 1);
  }
  addOtlpAttributes(attributes, membersOf(kvlistValue)['values'], `${name}.`, depth + 1);
}

function scalarValue(value: ReturnType<typeof membersOf>): SessionValue | undefined {
  const { stringValue, boolValue, intValue, doubleValue, bytesValue } = value;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof boolValue === 'boolean') return boolValue;
  if (typeof bytesValue === 'string') return bytesValue;
  if (intValue !== undefined) return integerFrom(intValue);
  return floatFrom(doubleValue);
}
