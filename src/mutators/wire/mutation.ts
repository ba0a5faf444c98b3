import type { Mutation } from '../../actuators/index.js';
import { quote } from '../../diagnostics/index.js';
import type { AttributeValue } from '../../values/index.js';
import {
  describeJson,
  fromJson,
  isJsonObject,
  type Json,
  parseJson,
  parseUuid,
} from '../../values/index.js';
import type { Attributes } from '../model/attribute-reader.js';

/** Why something is refused, each reason a line for people or a log; never empty. */
export interface Refusal {
  readonly reasons: readonly string[];
}

/** Reads a mutation from JSON text. Members that are not known are passed over. */
export function readMutation(text: string): { readonly mutation: Mutation } | Refusal {
  const json = parseJson(text);
  if ('problem' in json) return { reasons: [json.problem] };
  const { value } = json;
  if (!isJsonObject(value)) {
    return { reasons: [`expected a mutation, found ${describeJson(value)}`] };
  }
  const reasons: string[] = [];
  const id = readId(value['mutation'], reasons);
  const params = readParams(value['params'], reasons);
  return id === undefined || reasons.length > 0 ? { reasons } : { mutation: { id, params } };
}

function readId(json: Json | undefined, reasons: string[]): string | undefined {
  const id = typeof json === 'string' ? parseUuid(json) : undefined;
  if (json === undefined) reasons.push('"mutation" is missing: expected a UUID');
  else if (typeof json !== 'string') {
    reasons.push(`"mutation" is ${describeJson(json)}: expected a UUID`);
  } else if (id === undefined) reasons.push(`"mutation" is ${quote(json)}: expected a UUID`);
  return id;
}

function readParams(json: Json | undefined, reasons: string[]): Attributes {
  const params = new Map<string, AttributeValue>();
  if (json === undefined || !isJsonObject(json)) {
    const found = json === undefined ? 'missing' : describeJson(json);
    reasons.push(`"params" is ${found}: expected an object`);
    return params;
  }
  for (const [key, value] of Object.entries(json)) {
    const read = fromJson(value);
    if ('type' in read) params.set(key, read);
    else reasons.push(`parameter ${quote(key)}: ${read.problem}`);
  }
  return params;
}
