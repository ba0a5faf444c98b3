import {
  type AttributeValue,
  fromJson,
  type Json,
  type JsonObject,
  parseJson,
} from '../../mutators/index.js';

/** An event as a line of a session has it. */
export interface EventLine {
  readonly kind: 'event';
  readonly probe: string;
  readonly name: string;
  readonly seq?: bigint;
  /** Nanoseconds. */
  readonly time?: bigint;
  readonly id?: string;
  /** The ids of events that led to it. */
  readonly after: readonly string[];
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** All of the record. */
  readonly json: JsonObject;
}

/** One end of an interaction: an event's id, or its probe and place there. */
export type End = string | readonly [probe: string, seq: bigint];

export type SessionLine =
  | EventLine
  | { readonly kind: 'interaction'; readonly from: End; readonly to: End }
  | { readonly kind: 'header' }
  | { readonly kind: 'problem'; readonly problem: string };

const OWN: ReadonlySet<string> = new Set(['name', 'probe', 'seq', 'time']);

/** Reads a line of a session in the neutral form. */
export function readLine(line: string): SessionLine {
  const parsed = parseJson(line);
  if ('problem' in parsed) return broken(parsed.problem);
  const json = parsed.value;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return broken('expected an object');
  }
  const record = json as JsonObject;
  if (record['session'] !== undefined) return { kind: 'header' };
  if (record['from'] !== undefined || record['to'] !== undefined) {
    const [from, to] = [endOf(record['from']), endOf(record['to'])];
    return from === undefined || to === undefined
      ? broken('an interaction is from an event to another')
      : { kind: 'interaction', from, to };
  }
  return readEvent(record);
}

function readEvent(json: JsonObject): SessionLine {
  const { probe, name, id, after = [] } = json;
  if (typeof probe !== 'string' || typeof name !== 'string') {
    return broken('an event has a "probe" and a "name"');
  }
  if (id !== undefined && typeof id !== 'string') return broken('"id" is a string');
  if (!Array.isArray(after) || !after.every((one) => typeof one === 'string')) {
    return broken('"after" lists ids of events');
  }
  const [seq, time] = [wholeOf(json['seq']), wholeOf(json['time'])];
  if (seq === null || time === null) return broken('"seq" and "time" are integers');
  const attributes = new Map<string, AttributeValue>();
  for (const [key, value] of Object.entries((json['attributes'] ?? {}) as JsonObject)) {
    const read = fromJson(value);
    if (OWN.has(key)) return broken(`"${key}" is not a name of an attribute`);
    if (!('type' in read)) return broken(`attribute "${key}": ${read.problem}`);
    attributes.set(key, read);
  }
  return {
    kind: 'event',
    probe,
    name,
    ...(seq !== undefined && { seq }),
    ...(time !== undefined && { time }),
    ...(id !== undefined && { id }),
    after,
    attributes,
    json,
  };
}

function endOf(json: Json | undefined): End | undefined {
  if (typeof json === 'string') return json;
  if (!Array.isArray(json)) return undefined;
  const [probe, seq] = [json[0] as Json, wholeOf(json[1] as Json)];
  return typeof probe === 'string' && typeof seq === 'bigint' ? [probe, seq] : undefined;
}

/** A whole number; null for anything else that is there. */
function wholeOf(json: Json | undefined): bigint | undefined | null {
  if (json === undefined) return undefined;
  const read = fromJson(json);
  if ('type' in read && read.type === 'integer') return read.value;
  // A time beyond 63 bits is a big integer to attributes.
  const text = String(json);
  return /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}

function broken(problem: string): SessionLine {
  return { kind: 'problem', problem };
}
