import { type Level, quote, type Rule, type RuleMeta, suggestRule } from '../diagnostics/index.js';
import { type Misfit, misfitsOf, type TomlDocument } from '../toml/index.js';

/** What a rule over perturb.toml looks at. */
export interface ConfigInput {
  readonly document: TomlDocument;
  readonly misfits: readonly Misfit[];
  readonly levels: ReadonlyMap<string, Level>;
  /** Every rule that the file may set a level for. */
  readonly rules: readonly RuleMeta[];
  /** The variables for keys that the file names and may not, by the server. */
  readonly foreignVariables: ReadonlyMap<string, string>;
}

/** A glob of perturb.toml that matches no file, by its place in the file. */
export interface UnmatchedGlob {
  readonly document: TomlDocument;
  readonly key: 'include' | 'exclude';
  readonly glob: string;
}

function describe(
  name: string,
  severity: RuleMeta['severity'],
  summary: string,
  [why, action]: readonly [string, string],
  [fails, passes]: readonly [string, string],
): RuleMeta {
  return {
    id: `config/${name}`,
    severity,
    mandatory: true,
    summary,
    why,
    action,
    examples: { fails, passes },
  };
}

const missingKey: Rule<ConfigInput> = {
  meta: describe(
    'missing-key',
    'error',
    'a required key of perturb.toml is absent',
    ['The setting cannot be used without it.', 'Add the key to the table of the finding.'],
    ['[servers.bench]\n', '[servers.bench]\nurl = "http://127.0.0.1:8080"\n'],
  ),
  check: misfitsOf('missing-key'),
};

const unknownKey: Rule<ConfigInput> = {
  meta: describe(
    'unknown-key',
    'error',
    'a key that perturb.toml does not have',
    ['It has no effect, and is nearly always a misspelt key.', 'Correct the key, or remove it.'],
    ['[lint]\nexcludes = []\n', '[lint]\nexclude = []\n'],
  ),
  check: misfitsOf('unknown-key'),
};

const wrongType: Rule<ConfigInput> = {
  meta: describe(
    'wrong-type',
    'error',
    'a value of another type than the key of perturb.toml takes',
    ['The setting cannot be used.', 'Write a value of the expected type.'],
    ['[lint]\nexclude = "drafts/**"\n', '[lint]\nexclude = ["drafts/**"]\n'],
  ),
  check: misfitsOf('wrong-type'),
};

const invalidValue: Rule<ConfigInput> = {
  meta: describe(
    'invalid-value',
    'error',
    'a value of perturb.toml of the right type that cannot be meant',
    ['The setting cannot be used.', 'Write a value that the key takes.'],
    [
      '[lint.rules]\n"expression/unquoted-string" = "warning"\n',
      '[lint.rules]\n"expression/unquoted-string" = "warn"\n',
    ],
  ),
  check: misfitsOf('invalid-value'),
};

const unknownRule: Rule<ConfigInput> = {
  meta: describe(
    'unknown-rule',
    'error',
    'perturb.toml names a rule that does not exist, or turns one off that must be on',
    [
      'The level has no effect, while its author believes that it does.',
      'Correct the id; `perturb rules` lists them all.',
    ],
    [
      '[lint.rules]\n"expression/unquoted" = "off"\n',
      '[lint.rules]\n"expression/unquoted-string" = "off"\n',
    ],
  ),
  check({ document, levels, rules }, report) {
    const known = new Map(rules.map((rule) => [rule.id, rule]));
    for (const [id, level] of levels) {
      const span = document.keySpan(['lint', 'rules', id]);
      const rule = known.get(id);
      if (rule === undefined) {
        const help = suggestRule(id, [...known.keys()]);
        report({ message: `unknown rule ${quote(id)}`, help, span });
      } else if (rule.mandatory && level === 'off') {
        report({ message: `rule ${quote(id)} cannot be turned off`, help: 'write "warn"', span });
      }
    }
  },
};

const keyVariable: Rule<ConfigInput> = {
  meta: describe(
    'key-variable',
    'error',
    'perturb.toml names a variable that may hold another secret than a key for mutators',
    [
      'A perturb.toml that comes with a repository chooses both the variable and the server that gets its value.',
      'Rename the variable so that it begins with PERTURB_ and ends with _KEY; or give it with --api-key-env; or name it in the perturb.toml of your own configuration directory, ~/.config/perturb.',
    ],
    [
      '[servers.bench]\nurl = "http://127.0.0.1:8080"\napi_key_env = "GITHUB_TOKEN"\n',
      '[servers.bench]\nurl = "http://127.0.0.1:8080"\napi_key_env = "PERTURB_BENCH_KEY"\n',
    ],
  ),
  check({ document, foreignVariables }, report) {
    for (const [server, variable] of foreignVariables) {
      report({
        message: `${quote(variable)} may hold another secret: a perturb.toml names only variables PERTURB_..._KEY`,
        help: 'rename the variable; or give it with --api-key-env, or in ~/.config/perturb/perturb.toml',
        span: document.valueSpan(['servers', server, 'api_key_env']),
      });
    }
  },
};

export const noMatch: Rule<UnmatchedGlob> = {
  meta: describe(
    'no-match',
    'warning',
    'a glob of perturb.toml that matches no file',
    [
      'Files that were to be checked, or left out, have another name or place.',
      'Correct the glob, or remove it.',
    ],
    ['[lint]\ninclude = ["objectves/**/*.toml"]\n', '[lint]\ninclude = []\n'],
  ),
  check({ document, key, glob }, report) {
    const lint = document.root['lint'] as { readonly [key: string]: readonly string[] };
    const index = lint[key]?.indexOf(glob) ?? 0;
    report({
      message: `no file matches ${quote(glob)}`,
      help: 'globs are relative to the directory of perturb.toml',
      span: document.valueSpan(['lint', key, index]),
    });
  },
};

/** The rules over perturb.toml by itself. */
export const fileRules: readonly Rule<ConfigInput>[] = [
  missingKey,
  unknownKey,
  wrongType,
  invalidValue,
  unknownRule,
  keyVariable,
];

/** Every rule over perturb.toml; whether a glob matches files is for those who look for them. */
export const configRules: readonly RuleMeta[] = [...fileRules, noMatch].map(({ meta }) => meta);
