import { type Json, jsonNumber, parseJson, writeJson } from '../../values/index.js';
import { type Plan, planFromJson, planToJson } from '../plan/plan.js';
import type { JournalRecord } from './records.js';

/** A record as a line. */
export function encodeRecord(record: JournalRecord): string {
  return `${writeJson(toJson(record))}\n`;
}

function toJson(value: unknown, key?: string): Json {
  if (key === 'plan') return planToJson(value as Plan);
  switch (typeof value) {
    case 'bigint':
      return String(value);
    case 'number':
      return jsonNumber(String(value));
    case 'string':
    case 'boolean':
      return value;
  }
  if (Array.isArray(value)) return value.map((one) => toJson(one));
  return Object.fromEntries(
    Object.entries(value as object)
      .filter(([, one]) => one !== undefined)
      .map(([name, one]) => [name, toJson(one, name)] as const),
  );
}

/** What the members of each step must be, beside its stamp. */
const MEMBERS: Readonly<Record<JournalRecord['step'], Readonly<Record<string, string>>>> = {
  run: {
    version: 'number',
    id: 'string',
    objective: 'object',
    seed: 'bigint',
    strategy: 'string',
    catalog: 'string',
    servers: 'object',
    attemptMs: 'number',
    shrink: 'boolean',
  },
  attempt: { n: 'number', plan: 'object' },
  inject: { n: 'number', at: 'number', mutation: 'string' },
  injected: { n: 'number', at: 'number' },
  refused: { n: 'number', at: 'number', reason: 'string', maybe: 'boolean' },
  reset: { n: 'number', at: 'number' },
  measured: {
    n: 'number',
    outcome: 'string',
    reasons: 'object',
    measurements: 'object',
    ms: 'number',
    events: 'number',
  },
  shrunk: { of: 'number', plan: 'object', tried: 'number', failed: 'number', attempts: 'number' },
  end: { reason: 'string' },
  resumed: {},
};

/** Reads a line that `encodeRecord` has written; undefined for anything else. */
export function decodeRecord(line: string): JournalRecord | undefined {
  const parsed = parseJson(line);
  if ('problem' in parsed) return undefined;
  const record = fromJson(parsed.value) as Readonly<Record<string, unknown>> | undefined;
  const step = record?.['step'];
  if (record === undefined || typeof step !== 'string' || !Object.hasOwn(MEMBERS, step)) {
    return undefined;
  }
  const members = { ...MEMBERS[step as JournalRecord['step']], time: 'number', elapsed: 'number' };
  const whole = Object.entries(members).every(([key, type]) => typeof record[key] === type);
  return whole ? (record as unknown as JournalRecord) : undefined;
}

function fromJson(json: Json, key?: string): unknown {
  if (key === 'plan') return planFromJson(json);
  if (key === 'seed' && typeof json === 'string' && /^-?\d+$/.test(json)) return BigInt(json);
  if (Array.isArray(json)) return json.map((one) => fromJson(one));
  if (typeof json !== 'object' || json === null) return json;
  if ('isLosslessNumber' in json) return Number(json['value']);
  return Object.fromEntries(
    Object.entries(json).map(([name, one]) => [name, fromJson(one as Json, name)] as const),
  );
}
