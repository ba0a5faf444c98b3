import { nearest, quote, type ReportFn, suggest } from '../../../diagnostics/index.js';
import type { TomlDocument, TomlPath } from '../../../toml/index.js';
import { keyOfPlaceholder } from '../actuators/placeholder.js';
import { type Placeholder, placeholdersIn } from '../actuators/template.js';
import type { ActuatorDraft, MutatorDraft, ParamDraft } from '../draft.js';
import type { ManifestRule } from '../rule.js';
import { example } from './example.js';

const exec = (inject: string): string =>
  example(
    'name = "wind"',
    `[[mutator.param]]
name = "speed"
type = "float"

[mutator.actuator]
kind = "exec"
inject = ${inject}
reset = ["./wind.sh", "clear"]`,
  );

export const unknownPlaceholder: ManifestRule = {
  meta: {
    id: 'manifest/unknown-placeholder',
    severity: 'error',
    summary: 'a placeholder that names no parameter, or one where there are no parameters',
    why: 'The actuator would get the placeholder itself instead of a value.',
    action: 'Name a parameter of the mutator; write `{{name}}` where `{name}` itself is meant.',
    examples: {
      fails: exec('["./wind.sh", "set", "{sped}"]'),
      passes: exec('["./wind.sh", "set", "{speed}"]'),
    },
  },
  check({ document, mutators }, report) {
    for (const mutator of mutators) {
      for (const site of sitesOf(mutator)) checkSite(document, mutator, site, report);
    }
  },
};

/** What to write in braces for a parameter: its name where that can be, or else its key. */
function nameInBraces({ keys: { name }, key }: ParamDraft): string {
  return name !== undefined && placeholdersIn(`{${name}}`).length === 1 ? name : key;
}

/** A text of an actuator, and what can stand in braces in it. */
interface Site {
  readonly path: TomlPath;
  readonly text: string;
  readonly takes: 'parameters' | 'environment' | 'nothing';
}

function sitesOf({ actuator }: MutatorDraft): Site[] {
  switch (actuator?.kind) {
    case 'exec':
      return [
        ...argumentsOf(actuator.keys.inject, [...actuator.path, 'inject'], 'parameters'),
        ...argumentsOf(actuator.keys.reset, [...actuator.path, 'reset'], 'nothing'),
        ...variablesIn(actuator.keys.env),
      ];
    case 'http':
      return [
        ...requestSites(actuator.keys.inject, 'parameters'),
        ...requestSites(actuator.keys.reset, 'nothing'),
      ];
    case 'file': {
      const { template, value } = actuator.keys;
      const text = typeof value === 'string' ? value : undefined;
      return [
        ...site([...actuator.path, 'template'], template, 'parameters'),
        ...site([...actuator.path, 'value'], text, 'parameters'),
      ];
    }
    case 'module':
      return variablesIn(actuator.keys.env);
    default:
      return [];
  }
}

function variablesIn(env: ExecKeys['env']): Site[] {
  if (env === undefined) return [];
  return [...env.entries].flatMap(([name, text]) => site([...env.path, name], text, 'environment'));
}

function argumentsOf(
  all: readonly (string | undefined)[] = [],
  path: TomlPath,
  takes: Site['takes'],
): Site[] {
  return all.flatMap((text, index) => site([...path, index], text, takes));
}

type ExecKeys = Extract<ActuatorDraft, { kind: 'exec' }>['keys'];
type HttpKeys = Extract<ActuatorDraft, { kind: 'http' }>['keys'];

function requestSites(request: HttpKeys['inject'], takes: Site['takes']): Site[] {
  if (request === undefined) return [];
  const { path, keys } = request;
  const headers = [...(keys.headers?.entries ?? [])];
  return [
    ...site([...path, 'url'], keys.url, takes),
    ...headers.flatMap(([name, text]) => site([...path, 'headers', name], text, 'environment')),
    ...site([...path, 'body'], keys.body, takes),
  ];
}

function site(path: TomlPath, text: string | undefined, takes: Site['takes']): Site[] {
  return text === undefined ? [] : [{ path, text, takes }];
}

function checkSite(
  document: TomlDocument,
  { params }: MutatorDraft,
  { path, text, takes }: Site,
  report: ReportFn,
): void {
  for (const placeholder of placeholdersIn(text)) {
    const problem = problemOf(placeholder, takes, params);
    if (problem === undefined) continue;
    report({ ...problem, span: document.embed(path).toFile(placeholder) });
  }
}

function problemOf({ name }: Placeholder, takes: Site['takes'], params: readonly ParamDraft[]) {
  const written = quote(`{${name}}`);
  const literally = `write {{${name}}} for the text itself`;
  if (name.startsWith('env:')) {
    if (takes === 'environment') return undefined;
    const message = `${written} is where environment variables are not filled in`;
    return { message, help: 'use them in "env", or in the headers of a request' };
  }
  switch (takes) {
    case 'environment':
      return { message: `${written} is where parameters are not filled in`, help: literally };
    case 'nothing':
      return { message: `${written} is in a reset, which has no parameters`, help: literally };
    case 'parameters': {
      if (keyOfPlaceholder(params, name) !== undefined) return undefined;
      const message = `placeholder ${written} names no parameter`;
      const names = [...new Set(params.map(nameInBraces))];
      const help = suggest(name, names);
      if (nearest(name, names) !== undefined && help !== undefined) return { message, help };
      return { message, help: help === undefined ? literally : `${help}; ${literally}` };
    }
  }
}
