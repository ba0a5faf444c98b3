import type { RuleMeta } from '../diagnostics/index.js';

/** What a rule over perturb.toml tells about itself: its findings are made in `config.ts`. */
function rule(
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

/** The rules over perturb.toml. */
export const configRules = {
  'missing-key': rule(
    'missing-key',
    'error',
    'a required key of perturb.toml is absent',
    ['The setting can not be used without it.', 'Add the key to the table that is marked.'],
    ['[servers.bench]\n', '[servers.bench]\nurl = "http://127.0.0.1:8080"\n'],
  ),
  'unknown-key': rule(
    'unknown-key',
    'error',
    'a key that perturb.toml does not have',
    ['It has no effect, and is nearly always a misspelt key.', 'Correct the key, or remove it.'],
    ['[lint]\nexcludes = []\n', '[lint]\nexclude = []\n'],
  ),
  'wrong-type': rule(
    'wrong-type',
    'error',
    'a value of another type than the key of perturb.toml takes',
    ['The setting can not be used.', 'Write a value of the expected type.'],
    ['[lint]\nexclude = "drafts/**"\n', '[lint]\nexclude = ["drafts/**"]\n'],
  ),
  'invalid-value': rule(
    'invalid-value',
    'error',
    'a value of perturb.toml of the right type that can not be meant',
    ['The setting can not be used.', 'Write a value that the key takes.'],
    [
      '[lint.rules]\n"expression/unquoted-string" = "warning"\n',
      '[lint.rules]\n"expression/unquoted-string" = "warn"\n',
    ],
  ),
  'unknown-rule': rule(
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
  'no-match': rule(
    'no-match',
    'warning',
    'a glob of perturb.toml that matches no file',
    [
      'Files that were to be checked, or left out, have another name or place.',
      'Correct the glob, or remove it.',
    ],
    ['[lint]\ninclude = ["objectves/**/*.toml"]\n', '[lint]\ninclude = []\n'],
  ),
} as const satisfies Readonly<Record<string, RuleMeta>>;
