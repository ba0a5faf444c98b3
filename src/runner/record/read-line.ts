import {
  type AttributeValue,
  fromJson,
  type Json,
  type JsonObject,
  parseJson,
} from '../../values/index.js';

/** An event as a line of a session has it. */
export interface EventLine {
  readonly kind: 'event';
  readonly probe: string;
  readonly name: string;
  readonly seq?: bigint;
  /** Nanoseconds. */
  readonly time?: bigint;
  readonly id?: string;
  /** The events that led to it. */
  readonly after: readonly End[];
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
const EVENT: ReadonlySet<string> = new Set([...OWN, 'attributes', 'id', 'after']);

/**
 * Reads a line of a session in the neutral form. It takes what `readSession` takes, so that the session
 * of an attempt can be read again.
 */
export function readLine(line: string): SessionLine {
  const parsed = parseJson(line);
  if ('problem' in parsed) return broken(parsed.problem);
  const json = parsed.value;
  if (!isObject(json)) return broken('expected an object');
  if (json['session'] !== undefined) return { kind: 'header' };
  if (json['from'] !== undefined || json['to'] !== undefined) {
    const [from, to] = [endOf(json['from']), endOf(json['to'])];
    return from === undefined || to === undefined
      ? broken('an interaction is from an event to another')
      : { kind: 'interaction', from, to };
  }
  return readEvent(json);
}

function readEvent(json: JsonObject): SessionLine {
  const unknown = Object.keys(json).find((key) => !EVENT.has(key));
  if (unknown !== undefined) return broken(`"${unknown}" is not a part of an event`);
  const { probe, name, id, after = [], attributes: own = {} } = json;
  if (typeof probe !== 'string' || typeof name !== 'string') {
    return broken('an event has a "probe" and a "name"');
  }
  if (id !== undefined && typeof id !== 'string') return broken('"id" is a string');
  const senders = Array.isArray(after) ? after.map(endOf) : [undefined];
  if (senders.includes(undefined)) return broken('"after" lists ids of events');
  if (!isObject(own)) return broken('"attributes" is an object');
  const [seq, time] = [wholeOf(json['seq']), wholeOf(json['time'])];
  if (seq === null || time === null) return broken('"seq" and "time" are integers');
  const attributes = new Map<string, AttributeValue>();
  for (const [key, value] of Object.entries(own)) {
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
    after: senders as readonly End[],
    attributes,
    json,
  };
}

/** Whether it is an object, and not a number as it was written. */
function isObject(json: Json | undefined): json is JsonObject {
  return (
    typeof json === 'object' &&
    json !== null &&
    !Array.isArray(json) &&
    Object.getPrototypeOf(json) === Object.prototype
  );
}

function endOf(json: Json | undefined): End | undefined {
  if (typeof json === 'string') return json;
  if (!Array.isArray(json) || json.length !== 2) return undefined;
  const [probe, seq] = [json[0] as Json, wholeOf(json[1] as Json)];
  return typeof probe === 'string' && typeof seq === 'bigint' ? [probe, seq] : undefined;
}

/** An integer of 64 bits; null for anything else that is there. */
function wholeOf(json: Json | undefined): bigint | undefined | null {
  if (json === undefined) return undefined;
  const read = fromJson(json);
  const isWhole = 'type' in read && (read.type === 'integer' || read.type === 'nanoseconds');
  return isWhole ? read.value : null;
}

function broken(problem: string): SessionLine {
  return { kind: 'problem', problem };
}
