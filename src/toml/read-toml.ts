import type { Problem } from '../diagnostics/index.js';
import type { DecodedSource } from '../source/index.js';
import { parseToml } from './parse-toml.js';
import type { TomlDocument } from './positions/document.js';
import { invalidEncodings, tomlEncoding, tomlSyntax } from './rules.js';

/** A TOML file, and what is wrong with it as one. */
export interface TomlReading {
  /** Absent when the file is not TOML; then there is a problem. */
  readonly document: TomlDocument | undefined;
  /** Of the rules `toml/syntax` and `toml/encoding`. */
  readonly problems: readonly Problem[];
}

/** Reads a decoded file as TOML 1.1. Never throws for what stands in it. */
export function readToml({ source, invalid }: DecodedSource): TomlReading {
  const { document, problems } = parseToml(source);
  if (invalid.length === 0 && problems.length === 0) return { document, problems: [] };
  return {
    document,
    problems: [
      ...invalidEncodings(invalid).map((finding) => ({ rule: tomlEncoding, ...finding })),
      ...problems.map(({ kind, ...finding }) => ({
        rule: kind === 'syntax' ? tomlSyntax : tomlEncoding,
        ...finding,
      })),
    ],
  };
}
