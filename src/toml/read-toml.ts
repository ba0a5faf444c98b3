import {
  applyEdits,
  type Finding,
  locate,
  proposedFix,
  type Rule,
  runRules,
  type Violation,
} from '../diagnostics/index.js';
import { type DecodedSource, type InvalidBytes, SourceFile } from '../source/index.js';
import type { Format } from './format/format.js';
import { parseToml, type TomlViolation } from './parse-toml.js';
import type { TomlDocument } from './positions/document.js';

/** A TOML file, and what is wrong with it as one. */
export interface TomlReading {
  /** Absent when the file is not TOML; then there is a finding. */
  readonly document: TomlDocument | undefined;
  /** Of the rules `toml/syntax` and `toml/encoding`. */
  readonly findings: readonly Finding[];
}

/** Reads a decoded file as TOML 1.1, as `parseToml` does. Never throws for what stands in it. */
export function readToml({ source, invalid }: DecodedSource, format?: Format): TomlReading {
  const { document, violations } = parseToml(source, format);
  const findings: Finding[] = [];
  if (invalid.length > 0 || violations.length > 0) {
    runRules(tomlRules, { source, invalid, violations }, (rule, violation) => {
      findings.push(locate(rule, violation, source));
    });
  }
  return { document, findings };
}

const objective = (attempts: string): string => `name = "Wind"

[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = ${attempts}
`;

/** What the rules of every TOML file look at. */
interface TomlInput {
  readonly source: SourceFile;
  readonly invalid: readonly InvalidBytes[];
  readonly violations: readonly TomlViolation[];
}

/** A violation, with its fix only if that lets more of the file be read. */
function leadsOn(source: SourceFile, violation: Violation): Violation {
  const fix = proposedFix(violation);
  if (fix === undefined) return violation;
  const after = parseToml(new SourceFile(source.path, applyEdits(source.text, fix.edits)));
  const reaches = after.document === undefined ? after.violations[0]?.span.start : undefined;
  const improves = reaches === undefined || reaches > violation.span.end;
  return improves ? violation : { ...violation, instead: undefined, fix: undefined };
}

const tomlSyntax: Rule<TomlInput> = {
  id: 'toml/syntax',
  severity: 'error',
  mandatory: true,
  fixable: 'safe',
  summary: 'the file is not TOML',
  why: 'Nothing after the mistake can be read with certainty, so nothing else is checked.',
  action: 'Correct the TOML at the place of the finding.',
  examples: { fails: objective('ten'), passes: objective('10') },
  check({ source, violations }, report) {
    for (const violation of violations) {
      if (violation.kind === 'syntax') report(leadsOn(source, violation));
    }
  },
};

const tomlEncoding: Rule<TomlInput> = {
  id: 'toml/encoding',
  severity: 'error',
  mandatory: true,
  summary: 'invalid UTF-8, or an integer outside 64 bits',
  why: 'Another reader of the file would see other characters or another number.',
  action: 'Save the file as UTF-8; keep integers from -2^63 to 2^63 - 1.',
  examples: {
    fails: objective('9223372036854775808'),
    passes: objective('9223372036854775807'),
  },
  check({ invalid, violations }, report) {
    for (const run of invalid.slice(0, MOST_RUNS)) report(invalidEncoding(run));
    const next = invalid[MOST_RUNS];
    if (next !== undefined) report(moreEncodings(invalid.length - MOST_RUNS, next));
    for (const violation of violations) if (violation.kind === 'encoding') report(violation);
  },
};

/** The rules of every TOML file, whatever it holds. */
export const tomlRules: readonly Rule<TomlInput>[] = [tomlSyntax, tomlEncoding];

/** After so many runs of bytes, the rest is reported as one: the file is hardly a text. */
const MOST_RUNS = 10;
const MOST_SHOWN = 8;

function moreEncodings(count: number, { span }: InvalidBytes): Violation {
  const message = `invalid UTF-8 in ${count} more ${count === 1 ? 'place' : 'places'}, from here on`;
  return { message, help: 'is this a text file?', span };
}

function invalidEncoding({ span, bytes }: InvalidBytes): Violation {
  const shown = [...bytes.subarray(0, MOST_SHOWN)].map((byte) =>
    byte.toString(16).toUpperCase().padStart(2, '0'),
  );
  if (bytes.length > MOST_SHOWN) shown.push('…');
  const utf16 = span.start === 0 && /^(FF FE|FE FF)/.test(shown.join(' '));
  return {
    message: `invalid UTF-8: ${bytes.length === 1 ? 'byte' : 'bytes'} ${shown.join(' ')}`,
    help: utf16 ? 'this looks like UTF-16: save the file as UTF-8' : 'save the file as UTF-8',
    span,
  };
}
