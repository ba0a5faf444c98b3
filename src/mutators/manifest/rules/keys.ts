import {
  actuatorKindOf,
  checkVerificationKeys,
  missingKeyViolation,
  type Placeholder,
  type PlaceholderSite,
  placeholdersIn,
  verificationSites,
} from '../../../actuators/index.js';
import { findNearestWord, quote, type ReportFn, suggest } from '../../../diagnostics/index.js';
import { misfitCheck, type TomlDocument } from '../../../toml/index.js';
import type { MutatorDraft, ParamDraft } from '../draft.js';
import { type ManifestRule, manifestExample, manifestWithParam } from './rule.js';

const reportMisfits = misfitCheck('missing-key');

export const missingManifestKey: ManifestRule = {
  id: 'manifest/missing-key',
  severity: 'error',
  summary: 'a required key is absent, or there is no `mutator` at all',
  why: 'Without the key, the mutator can be neither named nor used.',
  action: 'Add the key to the reported table.',
  examples: {
    fails: manifestExample('name = "wind"', '[mutator.actuator]\nkind = "module"'),
    passes: manifestExample(
      'name = "wind"',
      '[mutator.actuator]\nkind = "module"\npath = "./wind.js"',
    ),
  },
  check(draft, report) {
    reportMisfits(draft, report);
    const { document, mutators } = draft;
    for (const { params, actuator, verify } of mutators) {
      for (const { path, keys } of params) {
        if (keys.type !== 'enum' || document.has([...path, 'options'])) continue;
        report(missingKeyViolation(document, path, 'options', 'add options = ["...", "..."]'));
      }
      if (actuator !== undefined) actuatorKindOf(actuator).checkKeys?.(document, actuator, report);
      if (verify !== undefined) checkVerificationKeys(document, verify, report);
    }
  },
};

export const unknownManifestKey: ManifestRule = {
  id: 'manifest/unknown-key',
  severity: 'error',
  summary: 'an unknown key',
  why: 'The key would have no effect.',
  action: 'Correct the spelling, or remove the key.',
  examples: {
    fails: manifestExample('name = "wind"\nmax_activ = "10min"'),
    passes: manifestExample('name = "wind"\nmax_active = "10min"'),
  },
  check: misfitCheck('unknown-key'),
};

export const wrongManifestType: ManifestRule = {
  id: 'manifest/wrong-type',
  severity: 'error',
  summary: 'a value of the wrong type for its key',
  why: 'Perturb cannot interpret a value of another type.',
  action: 'Write a value of the type in the message.',
  examples: {
    fails: manifestExample('name = "wind"\nmax_active = 600'),
    passes: manifestExample('name = "wind"\nmax_active = "10min"'),
  },
  check: misfitCheck('wrong-type'),
};

const exec = (inject: string): string =>
  manifestWithParam(
    'type = "float"',
    `[mutator.actuator]
kind = "exec"
inject = ${inject}
reset = ["./wind.sh", "clear"]`,
  );

export const unknownPlaceholder: ManifestRule = {
  id: 'manifest/unknown-placeholder',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an unknown placeholder, or a placeholder in a place without parameters',
  why: 'The actuator would receive the placeholder itself instead of a value.',
  action: 'Name a parameter of the mutator; write `{{name}}` for a literal `{name}`.',
  examples: {
    fails: exec('["./wind.sh", "set", "{sped}"]'),
    passes: exec('["./wind.sh", "set", "{speed}"]'),
  },
  check({ document, mutators }, report) {
    for (const mutator of mutators) {
      const { actuator, verify } = mutator;
      const names = [...new Set(mutator.params.map(nameInBraces))];
      const sites = [
        ...(actuator ? actuatorKindOf(actuator).sites(actuator) : []),
        ...(verify ? verificationSites(verify) : []),
      ];
      for (const site of sites) {
        checkSite(document, mutator, names, site, report);
      }
    }
  },
};

const request = (url: string): string =>
  manifestWithParam(
    'type = "float"',
    `[mutator.actuator]
kind = "http"
inject = { url = "http://127.0.0.1:9000/wind${url}" }
reset = { url = "http://127.0.0.1:9000/calm" }`,
  );

export const unusedParam: ManifestRule = {
  id: 'manifest/unused-param',
  severity: 'warning',
  summary: 'a parameter without a placeholder in a request or a file',
  why: "The system never receives the parameter's value, so the parameter has no effect.",
  action: 'Write `{name}` where the value belongs, or remove the parameter.',
  examples: { fails: request(''), passes: request('/{speed}') },
  check({ document, mutators }, report) {
    for (const { params, placeholders, actuator } of mutators) {
      const kind = actuator && actuatorKindOf(actuator);
      // Commands and modules receive every parameter even without placeholders.
      if (actuator === undefined || !kind?.placeholdersOnly) continue;
      const texts = kind
        .sites(actuator)
        .flatMap(({ takes, text }) => (takes === 'parameters' ? text : []));
      const names = texts.flatMap((text) => {
        const foreignPlaceholder = findForeignPlaceholder(text);
        return [...placeholdersIn(text), ...(foreignPlaceholder ? [foreignPlaceholder] : [])].map(
          ({ name }) => name,
        );
      });
      const usedKeys = new Set(names.map((name) => placeholders.get(name)));
      // A separate finding reports an unknown placeholder, which was probably meant for the parameter that seems
      // unused.
      if (texts.length === 0 || usedKeys.has(undefined)) continue;
      for (const param of params) {
        const { path, keys, key } = param;
        if (keys.name === undefined || usedKeys.has(key)) continue;
        report({
          message: `parameter ${quote(keys.name)} has no placeholder, so the system never receives its value`,
          help: `put {${nameInBraces(param)}} in the place of the value, or remove the parameter`,
          span: document.valueSpan([...path, 'name']),
        });
      }
    }
  },
};

/** Returns a parameter's name if it is valid in a placeholder, otherwise the parameter's key. */
function nameInBraces({ keys: { name }, key }: ParamDraft): string {
  return name !== undefined && placeholdersIn(`{${name}}`).length === 1 ? name : key;
}

function checkSite(
  document: TomlDocument,
  { placeholders }: MutatorDraft,
  names: readonly string[],
  { path, text, takes }: PlaceholderSite,
  report: ReportFn,
): void {
  if (takes === 'parameters') checkOtherSyntax(document, placeholders, { path, text }, report);
  for (const placeholder of placeholdersIn(text)) {
    const problem = problemOf(placeholder, takes, placeholders, names);
    if (problem === undefined) continue;
    report({ ...problem, span: document.embed(path).toFile(placeholder) });
  }
}

/**
 * Finds a placeholder in another tool's notation. The placeholder must be the entire text, or the entire value after
 * `key=`.
 */
function findForeignPlaceholder(
  text: string,
): { readonly written: string; readonly name: string } | undefined {
  const match = /^(?:[\w-]+=)?(\$\{([\w-]+)\}|\$([\w-]+)|\{\{\s*([\w-]+)\s*\}\})$/.exec(text);
  if (match === null) return undefined;
  const [, written = '', ...names] = match;
  return { written, name: names.find((candidate) => candidate !== undefined) ?? '' };
}

/** Reports `$speed`, `${speed}` and `{{speed}}` if they are the entire text, or the entire value after `key=`. */
function checkOtherSyntax(
  document: TomlDocument,
  placeholders: ReadonlyMap<string, string>,
  { path, text }: Pick<PlaceholderSite, 'path' | 'text'>,
  report: ReportFn,
): void {
  const foreignPlaceholder = findForeignPlaceholder(text);
  if (foreignPlaceholder === undefined || !placeholders.has(foreignPlaceholder.name)) return;
  const { written: notation, name } = foreignPlaceholder;
  const start = text.length - notation.length;
  report({
    severity: 'warning',
    message: `${quote(notation)} is not a placeholder: ${notation.startsWith('${') ? 'the "$" stays in the text' : 'the text stays unchanged'}`,
    help: `write {${name}}`,
    instead: `{${name}}`,
    span: document.embed(path).toFile({ start, end: text.length }),
  });
}

function problemOf(
  { name }: Placeholder,
  takes: PlaceholderSite['takes'],
  placeholders: ReadonlyMap<string, string>,
  names: readonly string[],
) {
  const notation = quote(`{${name}}`);
  const escaped = `{{${name}}}`;
  const textAdvice = { help: `write ${escaped} for the literal text`, instead: escaped };
  if (name.startsWith('env:')) {
    if (takes === 'environment') return undefined;
    const message = `environment variables are not expanded here, found ${notation}`;
    return { message, help: 'use environment variables in "env" or in request headers' };
  }
  switch (takes) {
    case 'environment':
      return { ...textAdvice, message: `parameters are not available here, found ${notation}` };
    case 'nothing':
      return {
        ...textAdvice,
        message: `parameters are not available in a reset, found ${notation}`,
      };
    case 'parameters': {
      if (placeholders.has(name)) return undefined;
      const message = `unknown placeholder ${notation}`;
      const help = suggest(name, names);
      const nearestName = findNearestWord(name, names);
      if (nearestName !== undefined) return { message, help, instead: `{${nearestName}}` };
      if (help === undefined) return { message, ...textAdvice };
      return { message, help: `${help}; the literal text is ${escaped}` };
    }
  }
}
