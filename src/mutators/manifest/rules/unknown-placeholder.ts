import { type Placeholder, placeholdersIn, type Site, sitesIn } from '../../../actuators/index.js';
import { nearest, quote, type ReportFn, suggest } from '../../../diagnostics/index.js';
import type { TomlDocument } from '../../../toml/index.js';
import { keyOfPlaceholder, type MutatorDraft, type ParamDraft } from '../draft.js';
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
      const { actuator } = mutator;
      if (actuator === undefined) continue;
      for (const site of sitesIn(actuator)) checkSite(document, mutator, site, report);
    }
  },
};

/** What to write in braces for a parameter: its name where that can be, or else its key. */
function nameInBraces({ keys: { name }, key }: ParamDraft): string {
  return name !== undefined && placeholdersIn(`{${name}}`).length === 1 ? name : key;
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
