import {
  type AttributeValue,
  format,
  isJsonObject,
  type Json,
  jsonObject,
  toJson,
} from '../values/index.js';
import type { ParameterValues } from './actuator.js';

/** A placeholder in a text, with its span. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Parameter keys, by placeholder name. */
export type Placeholders = ReadonlyMap<string, string>;

/** Returns a placeholder's value by its name; undefined for plain text in braces. */
export type ValueOf = (name: string) => AttributeValue | undefined;

/*
 * A placeholder is a name in braces that contains a letter or an underscore. Doubling the braces escapes them. Any
 * other brace is plain text, so formats such as JSON need no escaping.
 */
const NAME = String.raw`[\p{N}-]*[\p{L}\p{M}_][\p{L}\p{M}\p{N}_-]*`;
const BRACES = new RegExp(String.raw`\{\{(?:env:)?${NAME}\}\}|\{((?:env:)?${NAME})\}`, 'gu');
const ENVIRONMENT = 'env:';

/** Returns a text's placeholders, such as `{speed}`. The name of `{env:TOKEN}` is `env:TOKEN`. */
export function placeholdersIn(text: string): Placeholder[] {
  return [...text.matchAll(BRACES)].flatMap(({ 0: match, 1: name, index: start }) =>
    name === undefined ? [] : [{ name, start, end: start + match.length }],
  );
}

/** Returns the names of the environment variables in a text, written `{env:NAME}`. */
export function variablesIn(text: string): string[] {
  return placeholdersIn(text).flatMap(({ name }) => parseVariable(name) ?? []);
}

function parseVariable(name: string): string | undefined {
  return name.startsWith(ENVIRONMENT) ? name.slice(ENVIRONMENT.length) : undefined;
}

/** Returns a function that looks up a placeholder's value in parameter values. */
export function createValueLookup(placeholders: Placeholders, values: ParameterValues): ValueOf {
  return (name) => values.get(placeholders.get(name) ?? '');
}

/** Replaces placeholders with the results of `textOf`, and unescapes doubled braces. */
function fill(text: string, textOf: (name: string) => string | undefined): string {
  return text.replace(BRACES, (match: string, name: string | undefined) =>
    name === undefined ? match.slice(1, -1) : (textOf(name) ?? match),
  );
}

/**
 * Expands a text's placeholders with formatted parameter values.
 *
 * @param encode encodes each value, for example with `encodeURIComponent` for a URL
 */
export function fillText(
  text: string,
  valueFor: ValueOf,
  encode: (text: string) => string = (value) => value,
): string {
  return fill(text, (name) => {
    const value = valueFor(name);
    return value && encode(format(value));
  });
}

/**
 * Expands a string value's placeholders. A string that consists of a single placeholder becomes the parameter's value,
 * including the type.
 */
export function fillValue(value: AttributeValue, valueFor: ValueOf): AttributeValue {
  if (value.type !== 'string') return value;
  const text = value.value;
  const [first] = placeholdersIn(text);
  const isWhole = first?.start === 0 && first.end === text.length;
  const parameterValue = isWhole ? valueFor(first.name) : undefined;
  return parameterValue ?? { type: 'string', value: fillText(text, valueFor) };
}

/**
 * Expands placeholders in a JSON value's strings. A string that consists of a single placeholder becomes the
 * parameter's value, including the type.
 */
export function fillJson(json: Json, valueFor: ValueOf): Json {
  if (typeof json === 'string') return toJson(fillValue({ type: 'string', value: json }, valueFor));
  if (Array.isArray(json)) return (json as readonly Json[]).map((item) => fillJson(item, valueFor));
  if (!isJsonObject(json)) return json;
  return jsonObject(
    Object.entries(json).map(([key, item]) => [key, fillJson(item, valueFor)] as const),
  );
}

/** Expands `{env:NAME}` in a text with the results of `textOf`. */
export function fillEnvironment(text: string, textOf: (variable: string) => string): string {
  return fill(text, (name) => {
    const variable = parseVariable(name);
    return variable && textOf(variable);
  });
}
