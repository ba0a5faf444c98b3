import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonNumber,
  jsonObject,
} from '../../values/index.js';
import { itemsOf, jsonText, membersOf, wholeOf } from './json-access.js';

/*
 * What others make of traces, as the documents that the importers read: the same spans in other
 * envelopes, and older versions.
 */

/** Tempo's and Jaeger's API: OTLP by another name, or within an answer. Also lists of these. */
export function toOtlp(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(toOtlp);
  const { batches, trace, result } = membersOf(document);
  const inner = trace ?? result ?? null;
  if (isJsonObject(inner)) return toOtlp(inner);
  return [batches === undefined ? document : { resourceSpans: batches }];
}

/**
 * Jaeger's spans out of Elasticsearch: an answer to a search, or a document a line, with its
 * `_source` or without. Tags may be members of `tag`, with `@` for the dots in their names. Also lists of
 * any of these.
 */
export function toJaeger(document: Json): readonly Json[] {
  if (Array.isArray(document)) return itemsOf(document).flatMap(toJaeger);
  const { hits, _source, traceID, spans } = membersOf(document);
  if (hits !== undefined) {
    const found = itemsOf(membersOf(hits)['hits']);
    return [{ spans: found.map((hit) => jaegerSpan(membersOf(hit)['_source'])) }];
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

const CLIENT = ['cs', 'cr'];
const SERVER = ['sr', 'ss'];
const OF_SENDING = [...CLIENT, ...SERVER, 'ms', 'mr'];

/** Spans of Zipkin, version 2; one of version 1 that client and server share is two of them. */
export function toZipkin(document: Json): readonly Json[] {
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
    return [present({ ...common, timestamp, duration, ...own(endpoint?.['endpoint']) })];
  }
  return halves.map(({ kind, words, remote }) => {
    const [first, last] = words.map(of);
    const start = wholeOf(first?.['timestamp']);
    const end = wholeOf(last?.['timestamp']);
    const took = start === undefined || end === undefined ? undefined : end - start;
    // The span's own times are those of whoever began it.
    const isOwner = kind === 'CLIENT' || halves.length === 1;
    return present({
      ...common,
      kind,
      shared: kind === 'SERVER' && halves.length === 2,
      timestamp: (isOwner ? timestamp : undefined) ?? first?.['timestamp'],
      duration:
        (isOwner ? duration : undefined) ??
        (took === undefined ? undefined : jsonNumber(String(took))),
      remoteEndpoint: remote,
      ...own((first ?? last)?.['endpoint']),
    });
  });
}

function present(members: Readonly<Record<string, Json | undefined>>): Json {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return jsonObject(entries as [string, Json][]);
}
