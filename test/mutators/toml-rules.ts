import type { TomlRules } from '../../src/mutators/index.js';

const meta = (id: string) =>
  ({
    id,
    severity: 'error',
    summary: '',
    why: '',
    action: '',
    examples: { fails: '', passes: '' },
  }) as const;

/** The rules of every TOML file, as far as manifests need them. */
export const tomlRules: TomlRules = {
  syntax: meta('toml/syntax'),
  encoding: meta('toml/encoding'),
  explainBytes: ({ span }) => ({ message: 'invalid UTF-8', span }),
};
