import {
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  numberText,
} from '../../values/index.js';
import { itemsOf, jsonText, membersOf } from './json-access.js';
import { parseTime } from './times.js';

/* Conversion of spans printed by OpenTelemetry Python's ConsoleSpanExporter to OTLP. */

/** The names of span kinds and statuses, by OTLP enumeration value. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

/** True if the JSON is a span printed by the ConsoleSpanExporter. */
export function isConsoleSpan(json: Json): json is JsonObject {
  if (!isJsonObject(json)) return false;
  const context = membersOf(json['context']);
  return context['trace_id'] !== undefined && json['start_time'] !== undefined;
}

/** Converts a printed span to an OTLP document. */
export function consoleSpanToOtlp(json: JsonObject): Json {
  const { status, kind, parent_id: parent, events, links } = json;
  const kindName = jsonText(kind)?.replace('SpanKind.', '') ?? '';
  const statusName = jsonText(membersOf(status)['status_code']) ?? '';
  const span = {
    ...idsOf(membersOf(json['context'])),
    parentSpanId: idOf(parent),
    name: json['name'] ?? null,
    kind: Math.max(0, KINDS.indexOf(kindName)),
    startTimeUnixNano: timeOf(json['start_time']),
    endTimeUnixNano: timeOf(json['end_time']),
    attributes: attributesOf(json['attributes']),
    events: itemsOf(events)
      .map(membersOf)
      .map((event) => ({
        name: event['name'] ?? null,
        timeUnixNano: timeOf(event['timestamp']),
        attributes: attributesOf(event['attributes']),
      })),
    links: itemsOf(links).map((link) => idsOf(membersOf(membersOf(link)['context']))),
    status: { code: Math.max(0, STATUSES.indexOf(statusName)) },
  };
  const resource = { attributes: attributesOf(membersOf(json['resource'])['attributes']) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] };
}

function idsOf(context: JsonObject) {
  return { traceId: idOf(context['trace_id']), spanId: idOf(context['span_id']) };
}

/** Removes Python's prefix `0x` from an id. */
function idOf(json: Json | undefined): string {
  return jsonText(json)?.replace(/^0x/, '') ?? '';
}

function timeOf(json: Json | undefined): Json {
  const time = parseTime(jsonText(json) ?? '');
  return time === undefined ? null : String(time);
}

function attributesOf(json: Json | undefined): Json {
  return Object.entries(membersOf(json)).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(json: Json): Json {
  if (typeof json === 'string') return { stringValue: json };
  if (typeof json === 'boolean') return { boolValue: json };
  if (Array.isArray(json)) return { arrayValue: { values: json.map(otlpValue) } };
  const value = fromJson(json);
  if ('problem' in value) return { stringValue: '' };
  return value.type === 'integer' ? { intValue: numberText(json) ?? '' } : { doubleValue: json };
}
