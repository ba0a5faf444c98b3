import { type Finding, locate, runRules } from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { parseToml } from './parse-toml.js';
import type { TomlDocument } from './positions/document.js';
import { tomlRules } from './rules.js';

/** A TOML file, and what is wrong with it as one. */
export interface TomlReading {
  /** Absent when the file is not TOML; then there is a finding. */
  readonly document: TomlDocument | undefined;
  /** Of the rules `toml/syntax` and `toml/encoding`. */
  readonly findings: readonly Finding[];
}

/** Reads a decoded file as TOML 1.1. Never throws for what stands in it. */
export function readToml({ source, invalid }: DecodedSource): TomlReading {
  const { document, violations } = parseToml(source);
  const findings: Finding[] = [];
  if (invalid.length > 0 || violations.length > 0) {
    runRules(tomlRules, { invalid, violations }, (rule, violation) => {
      findings.push(locate(rule, violation, source));
    });
  }
  return { document, findings };
}
