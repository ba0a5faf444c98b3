import { quote, type ReportFn } from '../../../diagnostics/index.js';
import type { TomlDocument, TomlPath } from '../../../toml/index.js';
import { parseJson } from '../../../values/index.js';
import { placeholdersIn } from '../actuators/template.js';
import type { ActuatorDraft } from '../draft.js';
import { checkDuration } from './duration-values.js';

type Keys<Kind extends ActuatorDraft['kind']> = Extract<ActuatorDraft, { kind: Kind }>['keys'];
type Request = NonNullable<Keys<'http'>['inject']>;

/** Checks the values of an actuator. */
export function checkActuator(
  document: TomlDocument,
  actuator: ActuatorDraft,
  report: ReportFn,
): void {
  const { kind, path, keys } = actuator;
  if (kind !== 'file') checkDuration(document, [...path, 'timeout'], keys.timeout, report);
  switch (kind) {
    case 'exec':
      checkCommand(document, [...path, 'inject'], keys.inject, report);
      checkCommand(document, [...path, 'reset'], keys.reset, report);
      checkVariables(document, keys.env, report);
      break;
    case 'http':
      checkRequest(document, keys.inject, report);
      checkRequest(document, keys.reset, report);
      break;
    case 'file':
      checkFile(document, path, keys, report);
      break;
    case 'module':
      checkVariables(document, keys.env, report);
  }
}

function checkCommand(
  document: TomlDocument,
  path: TomlPath,
  vector: Keys<'exec'>['inject'],
  report: ReportFn,
): void {
  const [command] = vector ?? [];
  if (vector?.length === 0) {
    report({
      message: `${quote(String(path.at(-1)))} has no command`,
      span: document.valueSpan(path),
    });
  } else if (command?.trim() === '') {
    report({ message: 'the command is empty', span: document.valueSpan([...path, 0]) });
  }
  // Whoever may inject would choose the program to run.
  for (const placeholder of placeholdersIn(command ?? '')) {
    report({
      message: 'the command itself must not come from a parameter',
      help: 'put placeholders in its arguments',
      span: document.embed([...path, 0]).toFile(placeholder),
    });
  }
}

function checkVariables(document: TomlDocument, env: Keys<'exec'>['env'], report: ReportFn): void {
  for (const name of env?.entries.keys() ?? []) {
    if (name !== '' && !name.includes('=')) continue;
    report({
      message: `${quote(name)} is not the name of an environment variable`,
      span: document.keySpan([...(env?.path ?? []), name]),
    });
  }
}

function checkRequest(
  document: TomlDocument,
  request: Request | undefined,
  report: ReportFn,
): void {
  if (request === undefined) return;
  const { path, keys } = request;
  const problem = keys.url === undefined ? undefined : urlProblem(keys.url);
  if (problem !== undefined) report({ ...problem, span: document.valueSpan([...path, 'url']) });
  for (const name of keys.headers?.entries.keys() ?? []) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) continue;
    report({
      message: `${quote(name)} is not the name of a header`,
      span: document.keySpan([...path, 'headers', name]),
    });
  }
  if (keys.body === undefined) return;
  if (keys.method === 'GET') {
    report({
      message: 'a GET request has no body',
      help: 'write another method, or remove the body',
      span: document.keySpan([...path, 'body']),
    });
  }
  const json = parseJson(keys.body);
  if ('problem' in json) {
    report({
      message: `the body is ${json.problem}`,
      ...(placeholdersIn(keys.body).length > 0 && { help: 'put placeholders in quotes: "{name}"' }),
      span: document.valueSpan([...path, 'body']),
    });
  }
}

function urlProblem(url: string): { message: string; help?: string } | undefined {
  if (!/^https?:\/\//i.test(url)) {
    return {
      message: `${quote(url)} is not a URL with http:// or https://`,
      help: 'write it in full, such as "http://127.0.0.1:9000/wind"',
    };
  }
  const [placeholder] = placeholdersIn(url);
  if (placeholder !== undefined && !/\/\/[^/?#]+[/?#]/.test(url.slice(0, placeholder.start))) {
    // Whoever may inject would choose the host to talk to.
    const help = 'put placeholders in its path or query';
    return { message: 'the host of a URL must not come from a parameter', help };
  }
  if (!URL.canParse(url)) return { message: `${quote(url)} has no valid host and port` };
  const { username, password } = new URL(url);
  if (username === '' && password === '') return undefined;
  const help = 'put them in a header, as {env:NAME}';
  return { message: 'credentials do not belong in a URL', help };
}

function checkFile(
  document: TomlDocument,
  path: TomlPath,
  keys: Keys<'file'>,
  report: ReportFn,
): void {
  if (document.has([...path, 'template'])) {
    for (const key of ['key', 'value', 'format']) {
      if (!document.has([...path, key])) continue;
      report({
        message: `"${key}" does not go with "template", which is the whole text of the file`,
        span: document.keySpan([...path, key]),
        related: [{ message: 'the template', span: document.keySpan([...path, 'template']) }],
      });
    }
  }
  if (keys.key?.length === 0) {
    report({
      message: '"key" is empty: it leads to no value',
      span: document.valueSpan([...path, 'key']),
    });
  }
}
