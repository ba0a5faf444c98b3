import {
  adviseOn,
  groupOf,
  type Level,
  quote,
  type Rule,
  type RuleMeta,
  suggestRule,
} from '../diagnostics/index.js';
import { type Misfit, misfitRules, type TomlDocument, type TomlPath } from '../toml/index.js';
import { checkPolls, type PollDrafts } from './polls.js';
import type { NamedReading } from './readings.js';
import { checkTiming, type TimingDraft } from './timing.js';

/** The input of the rules for perturb.toml. */
export interface ConfigInput {
  readonly document: TomlDocument;
  readonly misfits: readonly Misfit[];
  readonly levels: ReadonlyMap<string, Level>;
  /** The rules with configurable levels. */
  readonly rules: readonly RuleMeta[];
  /** The forbidden environment variables in perturb.toml. */
  readonly foreignVariables: readonly ForbiddenVariable[];
  readonly polls: PollDrafts;
  readonly timing: TimingDraft | undefined;
  readonly readings: readonly NamedReading[];
}

/** A forbidden environment variable in perturb.toml, with the path of its key. */
export interface ForbiddenVariable {
  readonly variable: string;
  readonly path: TomlPath;
}

/** A glob in perturb.toml that matches no file, with the key that contains the glob. */
export interface UnmatchedGlob {
  readonly document: TomlDocument;
  readonly key: 'include' | 'exclude';
  readonly glob: string;
}

const formatRules: readonly Rule<ConfigInput>[] = misfitRules('config', {
  'missing-key': {
    mandatory: true,
    summary: 'a required key of perturb.toml is absent',
    why: 'Perturb cannot use the setting without the key.',
    action: 'Add the key to the reported table.',
    examples: {
      fails: '[servers.bench]\n',
      passes: '[servers.bench]\nurl = "http://127.0.0.1:8080"\n',
    },
  },
  'unknown-key': {
    mandatory: true,
    summary: 'an unknown key in perturb.toml',
    why: 'An unknown key has no effect, and is usually a misspelling.',
    action: 'Correct the key, or remove it.',
    examples: { fails: '[lint]\nexcludes = []\n', passes: '[lint]\nexclude = []\n' },
  },
  'wrong-type': {
    mandatory: true,
    summary: 'a value of the wrong type for a key in perturb.toml',
    why: 'Perturb cannot use the setting.',
    action: 'Write a value of the expected type.',
    examples: {
      fails: '[lint]\nexclude = "drafts/**"\n',
      passes: '[lint]\nexclude = ["drafts/**"]\n',
    },
  },
  'invalid-value': {
    mandatory: true,
    summary: 'an invalid value in perturb.toml',
    why: 'Perturb cannot use the setting.',
    action: 'Write a valid value.',
    examples: {
      fails: '[lint.rules]\n"expression/unquoted-string" = "warning"\n',
      passes: '[lint.rules]\n"expression/unquoted-string" = "warn"\n',
    },
  },
});

const unknownRule: Rule<ConfigInput> = {
  id: 'config/unknown-rule',
  severity: 'error',
  fixable: 'suggested',
  mandatory: true,
  summary: 'perturb.toml names an unknown rule, or changes the level of a mandatory rule',
  why: 'The level is silently ignored.',
  action: 'Correct the id. Run `perturb rules` to list all ids.',
  examples: {
    fails: '[lint.rules]\n"expression/unquoted" = "off"\n',
    passes: '[lint.rules]\n"expression/unquoted-string" = "off"\n',
  },
  check({ document, levels, rules }, report) {
    const rulesById = new Map(rules.map((rule) => [rule.id, rule]));
    const groups = new Set(rules.map((rule) => groupOf(rule.id)));
    for (const [id, level] of levels) {
      if (groups.has(id)) continue;
      const span = document.keySpan(['lint', 'rules', id]);
      const rule = rulesById.get(id);
      if (rule === undefined) {
        const advice = suggestRule(id, [...rulesById.keys()]);
        const noun = id.endsWith('/*') ? 'group' : 'rule';
        report({ message: `unknown ${noun} ${quote(id)}`, ...advice, span });
      } else if (rule.mandatory && level !== (rule.severity === 'error' ? 'error' : 'warn')) {
        const change = level === 'off' ? 'be turned off' : 'have a different severity';
        report({ message: `rule ${quote(id)} cannot ${change}`, help: 'remove this line', span });
      }
    }
  },
};

const keyVariable: Rule<ConfigInput> = {
  id: 'config/key-variable',
  severity: 'error',
  mandatory: true,
  summary: 'perturb.toml names an environment variable that may contain an unrelated secret',
  why: 'A perturb.toml from an untrusted repository chooses both the variable and the server that receives its value.',
  action:
    'Rename the variable to one that begins with PERTURB_ and ends with _KEY, pass it with --api-key-env, or name it in your own ~/.config/perturb/perturb.toml.',
  examples: {
    fails: '[servers.bench]\nurl = "http://127.0.0.1:8080"\napi_key_env = "GITHUB_TOKEN"\n',
    passes: '[servers.bench]\nurl = "http://127.0.0.1:8080"\napi_key_env = "PERTURB_BENCH_KEY"\n',
  },
  check({ document, foreignVariables }, report) {
    for (const { variable, path } of foreignVariables) {
      report({
        message: `${quote(variable)} may contain an unrelated secret: perturb.toml may name only variables like PERTURB_..._KEY`,
        help: 'rename the variable, pass it with --api-key-env, or name it in ~/.config/perturb/perturb.toml',
        span: document.valueSpan(path),
      });
    }
  },
};

const invalidReading: Rule<ConfigInput> = {
  id: 'config/invalid-reading',
  severity: 'error',
  mandatory: true,
  summary: 'a [reading] table with invalid or conflicting values',
  why: 'Perturb cannot read files that match the table, or reads them incorrectly.',
  action: 'Correct or remove the value.',
  examples: {
    fails: '[reading.app]\nfiles = ["*.log"]\npattern = "^(?<time>.*)$"\n',
    passes: '[reading.app]\nfiles = ["*.log"]\npattern = "^(?<name>.*)$"\n',
  },
  check({ document, readings }, report) {
    for (const { name, mistakes } of readings) {
      for (const { key, message, help } of mistakes) {
        const span = document.valueSpan(['reading', name, key]);
        report({ message, ...(help !== undefined && { help }), span });
      }
    }
  },
};

export const unmatchedGlob: Rule<UnmatchedGlob> = {
  id: 'config/no-match',
  severity: 'warning',
  mandatory: true,
  summary: 'a glob in perturb.toml that matches no file',
  why: 'Perturb does not check or skip the intended files, which probably have a different name or location.',
  action: 'Correct the glob, or remove it.',
  examples: {
    fails: '[lint]\ninclude = ["objectves/**/*.toml"]\n',
    passes: '[lint]\ninclude = []\n',
  },
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

const poll: Rule<ConfigInput> = {
  id: 'config/poll',
  severity: 'error',
  mandatory: true,
  summary: 'an invalid poll',
  why: 'A poll needs exactly one of http, tcp and command, a valid address and name, and at most 1,000 requests per second.',
  action: 'Correct the reported value.',
  examples: {
    fails: '[polls.db]\ntcp = "127.0.0.1"\n',
    passes: '[polls.db]\ntcp = "127.0.0.1:5432"\n',
  },
  check: ({ document, polls }, report) => checkPolls(document, polls, report),
};

const timing: Rule<ConfigInput> = {
  id: 'config/timing',
  severity: 'error',
  fixable: 'suggested',
  mandatory: true,
  summary: 'an invalid onset or duration in [run.timing]',
  why: 'Perturb accepts a duration in whole milliseconds, or [lowest, highest]. A mutation must not have a duration of zero.',
  action: 'Correct the reported value.',
  examples: {
    fails: '[run.timing]\nonset = ["10s", "0s"]\n',
    passes: '[run.timing]\nonset = ["0s", "10s"]\n',
  },
  check: ({ document, timing: draft }, report) => checkTiming(document, draft, report),
};

/** A [run.timing] table for an unknown mutator. */
export interface UnknownMutatorTiming {
  readonly document: TomlDocument;
  readonly name: string;
  readonly known: KnownMutators;
}

/** The names of mutators (NAME and NAME@PROBE), and a description of their source. */
export interface KnownMutators {
  readonly of: 'the catalog' | 'the objective';
  readonly names: readonly string[];
}

export const unknownMutatorTiming: Rule<UnknownMutatorTiming> = {
  id: 'config/unknown-mutator',
  severity: 'warning',
  fixable: 'suggested',
  mandatory: true,
  summary: 'a [run.timing] table for a mutator missing from the catalog or from the objective',
  why: 'The table is silently ignored.',
  action:
    'Correct the name: NAME or "NAME@PROBE". Run `perturb mutators list` to see a server\'s mutators.',
  examples: {
    fails: '[run.timing.wnd]\nonset = "2s"\n',
    passes: '[run.timing.wind]\nonset = "2s"\n',
  },
  check({ document, name, known: { of, names } }, report) {
    report({
      message: `${of} has no mutator ${quote(name)}`,
      ...adviseOn(name, names),
      span: document.keySpan(['run', 'timing', name]),
    });
  },
};

/** The rules that need only the text of perturb.toml. */
export const fileRules: readonly Rule<ConfigInput>[] = [
  ...formatRules,
  unknownRule,
  keyVariable,
  poll,
  timing,
  invalidReading,
];

/**
 * All rules for perturb.toml. The rules for unmatched globs and unknown mutators are run
 * separately, by callers with access to the files and mutators.
 */
export const configRules: readonly RuleMeta[] = [...fileRules, unmatchedGlob, unknownMutatorTiming];
