import { required } from '../../../toml/index.js';
import { type Json, parseDuration, parseJson } from '../../../values/index.js';
import type { ActuatorDraft, ParamDraft } from '../draft.js';
import { toAttribute } from '../read-range.js';
import {
  type Actuator,
  DEFAULT_TIMEOUT,
  FILE_FORMATS,
  type FileActuator,
  type HttpRequest,
} from './actuator.js';
import { keyOfPlaceholder } from './placeholder.js';
import {
  type EnvironmentTemplate,
  parseEnvironmentTemplate,
  parseJsonTemplate,
  parseTemplate,
  type Template,
} from './template.js';

type Keys<Kind extends ActuatorDraft['kind']> = Extract<ActuatorDraft, { kind: Kind }>['keys'];
type KeyOf = (name: string) => string | undefined;

/** The actuator of a mutator in a manifest without findings. */
export function toActuator(actuator: ActuatorDraft, params: readonly ParamDraft[]): Actuator {
  const keyOf: KeyOf = (name) => keyOfPlaceholder(params, name);
  switch (actuator.kind) {
    case 'exec': {
      const { inject, reset, timeout, cwd, env } = actuator.keys;
      return {
        kind: 'exec',
        inject: texts(inject).map((text) => parseTemplate(text, keyOf)),
        reset: texts(reset).map(withoutPlaceholders),
        timeoutMs: toMs(timeout) ?? DEFAULT_TIMEOUT.ms,
        ...(cwd !== undefined && { cwd }),
        env: toVariables(env),
      };
    }
    case 'http':
      return {
        kind: 'http',
        inject: toRequest(required(actuator.keys.inject).keys, keyOf),
        reset: toRequest(required(actuator.keys.reset).keys, keyOf),
        timeoutMs: toMs(actuator.keys.timeout) ?? DEFAULT_TIMEOUT.ms,
      };
    case 'file':
      return {
        kind: 'file',
        path: required(actuator.keys.path),
        inPlace: actuator.keys.in_place ?? false,
        content: toContent(actuator.keys, keyOf),
      };
    case 'module':
      return {
        kind: 'module',
        path: required(actuator.keys.path),
        timeoutMs: toMs(actuator.keys.timeout) ?? DEFAULT_TIMEOUT.ms,
        env: toVariables(actuator.keys.env),
      };
  }
}

/** The milliseconds of a duration without findings. */
export function toMs(text: string | undefined): number | undefined {
  const parsed = text === undefined ? undefined : parseDuration(text);
  return parsed === undefined || 'problem' in parsed ? undefined : parsed.ms;
}

/** The format of the file that an actuator writes a key of, if it is told or the name tells it. */
export function fileFormatOf({ format, path }: Keys<'file'>): 'json' | 'toml' | undefined {
  return format ?? FILE_FORMATS.find((one) => path?.toLowerCase().endsWith(`.${one}`));
}

function toContent(keys: Keys<'file'>, keyOf: KeyOf): FileActuator['content'] {
  if (keys.template !== undefined) {
    return { kind: 'template', template: parseTemplate(keys.template, keyOf) };
  }
  const value = required(keys.value);
  return {
    kind: 'key',
    format: required(fileFormatOf(keys)),
    key: texts(keys.key),
    value:
      typeof value === 'string'
        ? { kind: 'text', template: parseTemplate(value, keyOf) }
        : { kind: 'fixed', value: toAttribute(value) },
  };
}

type RequestKeys = NonNullable<Keys<'http'>['inject']>['keys'];

function toRequest({ method, url, headers, body }: RequestKeys, keyOf: KeyOf): HttpRequest {
  return {
    method: method ?? 'POST',
    url: parseTemplate(required(url), keyOf),
    headers: toVariables(headers),
    ...(body !== undefined && { body: parseJsonTemplate(toJson(body), keyOf) }),
  };
}

/** Texts that may take values from environment variables, by name. */
function toVariables(
  map: { readonly entries: ReadonlyMap<string, string> } | undefined,
): ReadonlyMap<string, EnvironmentTemplate> {
  return new Map(
    [...(map?.entries ?? [])].map(
      ([name, text]) => [name, parseEnvironmentTemplate(text)] as const,
    ),
  );
}

function toJson(text: string): Json {
  const json = parseJson(text);
  return required('value' in json ? json.value : undefined);
}

/** A text in which nothing is put, with doubled braces as single ones. */
function withoutPlaceholders(text: string): string {
  const template: Template = parseTemplate(text, () => undefined);
  return template.join('');
}

function texts(all: readonly (string | undefined)[] | undefined): string[] {
  return (all ?? []).filter((text) => text !== undefined);
}
