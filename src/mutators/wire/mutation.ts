import type { Mutation, ParameterValues } from '../../actuators/index.js';
import { quote, suggest } from '../../diagnostics/index.js';
import {
  type AttributeValue,
  describeJson,
  fromJson,
  isJsonObject,
  type Json,
  parseJson,
  parseUuid,
} from '../../values/index.js';
import type { Attributes } from '../model/attribute-reader.js';
import type { Mutator } from '../model/mutator.js';
import { accept, findParameter, type Parameter } from '../model/parameter.js';
import { PARAMETER_PREFIX } from './parameter-attributes.js';

/** Maximum number of reasons. Limits the time spent on a body with many mistakes. */
const MAX_REASONS = 10;

/** The reasons to refuse a mutation, for people or a log. Contains one to ten reasons, each on one line. */
export interface Refusal {
  readonly reasons: readonly string[];
}

/** Parses a mutation's JSON text. Ignores unknown members. */
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
  if (id !== undefined) return id;
  const actual =
    typeof json === 'string' ? quote(json) : json === undefined ? 'missing' : describeJson(json);
  reasons.push(`"mutation" is ${actual}: expected a UUID`);
  return undefined;
}

function readParams(json: Json | undefined, reasons: string[]): Attributes {
  const params = new Map<string, AttributeValue>();
  if (json === undefined || !isJsonObject(json)) {
    const actual = json === undefined ? 'missing' : describeJson(json);
    reasons.push(`"params" is ${actual}: expected an object`);
    return params;
  }
  for (const [key, value] of Object.entries(json)) {
    const reading = fromJson(value);
    if ('type' in reading) params.set(key, reading);
    else reasons.push(`parameter ${quote(key)}: ${reading.problem}`);
    if (reasons.length === MAX_REASONS) break;
  }
  return params;
}

/**
 * Checks a mutation's params against a mutator. A param's key is `<key>`, `mutator.params.<key>`, or the parameter's
 * name if no other parameter has the same key or name. Uses the default for an omitted parameter. Returns values
 * converted to the parameters' types, or a refusal.
 */
export function resolveParams(
  mutator: Mutator,
  params: Attributes,
): { readonly values: ParameterValues } | Refusal {
  const reasons: string[] = [];
  const paramsByKey = keyParams(mutator, params, reasons);
  const values = new Map<string, AttributeValue>();
  for (const parameter of mutator.parameters) {
    if (reasons.length === MAX_REASONS) break;
    const value = paramsByKey.get(parameter.key) ?? parameter.default;
    if (value === undefined) {
      reasons.push(`parameter ${quote(parameter.key)} is missing, and has no default`);
      continue;
    }
    const acceptance = accept(parameter, value);
    if ('value' in acceptance) values.set(parameter.key, acceptance.value);
    else reasons.push(`parameter ${quote(parameter.key)}: ${sentence(acceptance)}`);
  }
  return reasons.length > 0 ? { reasons } : { values };
}

function keyParams(mutator: Mutator, params: Attributes, reasons: string[]): Attributes {
  const keys = mutator.parameters.map((parameter) => parameter.key);
  const values = new Map<string, AttributeValue>();
  for (const [name, value] of params) {
    const shortName = name.startsWith(PARAMETER_PREFIX)
      ? name.slice(PARAMETER_PREFIX.length)
      : name;
    const key = keys.includes(shortName) ? shortName : keyOfName(mutator.parameters, name);
    if (key === undefined) {
      const help = hint(mutator.parameters, shortName, keys);
      reasons.push(sentence({ problem: `unknown parameter ${quote(name)}`, ...help }));
    } else if (values.has(key)) reasons.push(`duplicate parameter ${quote(key)}`);
    else values.set(key, value);
    if (reasons.length === MAX_REASONS) break;
  }
  return values;
}

/** Returns the key of the parameter with a name; undefined unless exactly one parameter has the name. */
function keyOfName(parameters: readonly Parameter[], name: string): string | undefined {
  const [match, ...otherMatches] = parameters.filter((parameter) => parameter.name === name);
  return otherMatches.length === 0 ? match?.key : undefined;
}

function hint(parameters: readonly Parameter[], name: string, keys: readonly string[]) {
  const parameter = findParameter(parameters, name);
  const help =
    parameter === undefined
      ? suggest(name, keys)
      : `the parameter's key is ${quote(parameter.key)}`;
  return help === undefined ? {} : { help };
}

function sentence({ problem, help }: { problem: string; help?: string }): string {
  return help === undefined ? problem : `${problem} (${help})`;
}
