import {
  type AttributeValue,
  format,
  isJsonObject,
  type Json,
  jsonObject,
  toJson,
} from '../values/index.js';
import type { ParameterValues } from './actuator.js';

/** A text with the keys of parameters where their values go. */
export type Template = readonly (string | { readonly parameter: string })[];

/** A text with the names of environment variables where their values go. */
export type EnvironmentTemplate = readonly (string | { readonly environment: string })[];

/** A value that is fixed, or made from parameters. */
export type ValueTemplate =
  | { readonly kind: 'fixed'; readonly value: AttributeValue }
  | { readonly kind: 'text'; readonly template: Template };

/** JSON with templates for its strings; keys are fixed. */
export type JsonTemplate =
  | { readonly kind: 'fixed'; readonly value: Json }
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'array'; readonly items: readonly JsonTemplate[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, JsonTemplate])[] };

/** What stands in braces in a text, and where. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/*
 * A placeholder is a name in braces, with a letter or underscore in it;
 * doubled braces stand for themselves. Any other brace is text, so that JSON
 * and the like need no escapes.
 */
const NAME = String.raw`[\p{N}-]*[\p{L}\p{M}_][\p{L}\p{M}\p{N}_-]*`;
const BRACES = new RegExp(String.raw`\{\{(?:env:)?${NAME}\}\}|\{((?:env:)?${NAME})\}`, 'gu');
const ENVIRONMENT = 'env:';

/** The text, with a part in place of each placeholder that `partOf` has one for. */
function parse<Part>(
  text: string,
  partOf: (placeholder: Placeholder) => Part | undefined,
): (string | Part)[] {
  const parts: (string | Part)[] = [];
  let [pending, at] = ['', 0];
  for (const match of text.matchAll(BRACES)) {
    const [written, name] = match;
    const [start, end] = [match.index, match.index + written.length];
    const part = name === undefined ? undefined : partOf({ name, start, end });
    pending += text.slice(at, start);
    at = end;
    if (part === undefined) {
      pending += name === undefined ? written.slice(1, -1) : written;
      continue;
    }
    if (pending !== '') parts.push(pending);
    parts.push(part);
    pending = '';
  }
  pending += text.slice(at);
  return pending === '' ? parts : [...parts, pending];
}

/** The placeholders of a text: `{speed}`, and `{env:TOKEN}` with the name `env:TOKEN`. */
export function placeholdersIn(text: string): Placeholder[] {
  return parse(text, (placeholder) => placeholder).filter((piece) => typeof piece !== 'string');
}

/**
 * Reads a template. A placeholder that `keyOf` has no key for stays text.
 *
 * @param keyOf the key of the parameter that a placeholder names
 */
export function parseTemplate(text: string, keyOf: (name: string) => string | undefined): Template {
  return parse(text, ({ name }) => {
    const parameter = keyOf(name);
    return parameter === undefined ? undefined : { parameter };
  });
}

/** Reads a text with `{env:NAME}` for the values of environment variables. */
export function parseEnvironmentTemplate(text: string): EnvironmentTemplate {
  return parse(text, ({ name }) =>
    name.startsWith(ENVIRONMENT) ? { environment: name.slice(ENVIRONMENT.length) } : undefined,
  );
}

/** Reads the templates in the strings of a JSON value. */
export function parseJsonTemplate(
  json: Json,
  keyOf: (name: string) => string | undefined,
): JsonTemplate {
  if (typeof json === 'string') return { kind: 'text', template: parseTemplate(json, keyOf) };
  if (isJsonObject(json)) {
    const members = Object.entries(json).map(
      ([key, value]) => [key, parseJsonTemplate(value, keyOf)] as const,
    );
    return { kind: 'object', members };
  }
  if (!Array.isArray(json)) return { kind: 'fixed', value: json };
  const items = (json as readonly Json[]).map((item) => parseJsonTemplate(item, keyOf));
  return { kind: 'array', items };
}

/**
 * The text with the values of parameters in it, as `format` writes them.
 *
 * @param encode applied to each value, such as `encodeURIComponent` for a URL
 * @throws Error when a parameter has no value: a manifest without findings names only known ones
 */
export function fillText(
  template: Template,
  values: ParameterValues,
  encode: (text: string) => string = (text) => text,
): string {
  return template
    .map((part) => (typeof part === 'string' ? part : encode(format(valueFor(part, values)))))
    .join('');
}

/** The value; for a template that is a single placeholder, the parameter's own, with its type. */
export function fillValue(template: ValueTemplate, values: ParameterValues): AttributeValue {
  if (template.kind === 'fixed') return template.value;
  const [part, ...more] = template.template;
  return typeof part === 'object' && more.length === 0
    ? valueFor(part, values)
    : { type: 'string', value: fillText(template.template, values) };
}

/** The JSON value: a string that is one placeholder becomes the value, with its type. */
export function fillJson(template: JsonTemplate, values: ParameterValues): Json {
  switch (template.kind) {
    case 'fixed':
      return template.value;
    case 'text':
      return toJson(fillValue(template, values));
    case 'array':
      return template.items.map((item) => fillJson(item, values));
    case 'object':
      return jsonObject(
        template.members.map(([key, member]) => [key, fillJson(member, values)] as const),
      );
  }
}

/** The text with the values of environment variables, or the first variable that is not set. */
export function fillEnvironment(
  template: EnvironmentTemplate,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly text: string } | { readonly missing: string } {
  let text = '';
  for (const part of template) {
    const value = typeof part === 'string' ? part : environment[part.environment];
    if (value === undefined) return { missing: (part as { environment: string }).environment };
    text += value;
  }
  return { text };
}

function valueFor(part: { readonly parameter: string }, values: ParameterValues): AttributeValue {
  const value = values.get(part.parameter);
  if (value === undefined) throw new Error(`no value for the parameter ${part.parameter}`);
  return value;
}
