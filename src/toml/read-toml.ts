import {
  applyEdits,
  type Finding,
  proposedFix,
  quote,
  type Rule,
  runRules,
  toFinding,
  type Violation,
} from '../diagnostics/index.js';
import { type DecodedSource, type InvalidBytes, SourceFile } from '../source/index.js';
import type { Format } from './format/format.js';
import { parseToml, type TomlViolation } from './parse-toml.js';
import type { TomlDocument } from './positions/document.js';
import type { NewerSyntax } from './positions/scan.js';

/** A parsed TOML file, with its TOML violations. */
export interface TomlReading {
  /** The document; absent if the file is invalid TOML, which has at least one finding. */
  readonly document: TomlDocument | undefined;
  /** The findings of the TOML rules. */
  readonly findings: readonly Finding[];
}

/** Parses a decoded file as TOML 1.1, like `parseToml`. Never throws, even for invalid content. */
export function readToml(decoded: DecodedSource, format?: Format): TomlReading {
  const { source, invalid } = decoded;
  // In a UTF-16 file, the encoding is the only mistake to report.
  const { document, violations } = decoded.utf16
    ? { document: undefined, violations: [] }
    : parseToml(source, format);
  const newer = document?.newerForms() ?? [];
  const findings: Finding[] = [];
  if (invalid.length + violations.length + newer.length > 0) {
    runRules(tomlRules, { ...decoded, violations, newer }, (rule, violation) => {
      findings.push(toFinding(rule, violation, source));
    });
  }
  return { document, findings };
}

const WIND = `name = "Wind"

[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
`;

const objective = (attempts: string): string =>
  `${WIND}\n[stopping_conditions]\nattempts = ${attempts}\n`;

/** The input of the rules for every TOML file. */
interface TomlInput extends DecodedSource {
  readonly violations: readonly TomlViolation[];
  readonly newer: readonly NewerSyntax[];
}

/** Returns a violation, with its fix only if the fix makes more of the file parsable. */
function causesMore(source: SourceFile, violation: Violation): Violation {
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
  summary: 'the file is not valid TOML',
  why: 'Perturb cannot reliably parse anything after a syntax error, so it checks nothing else.',
  action: 'Correct the TOML at the reported position.',
  examples: { fails: objective('ten'), passes: objective('10') },
  check({ source, violations }, report) {
    for (const violation of violations) {
      if (violation.kind === 'syntax') report(causesMore(source, violation));
    }
  },
};

const tomlEncoding: Rule<TomlInput> = {
  id: 'toml/encoding',
  severity: 'error',
  mandatory: true,
  summary: 'a file in UTF-16 or invalid UTF-8, or an integer outside the 64-bit range',
  why: 'Another program would read different characters or a different number.',
  action: 'Save the file as UTF-8, and use only integers from -2^63 to 2^63 - 1.',
  examples: {
    fails: objective('9223372036854775808'),
    passes: objective('9223372036854775807'),
  },
  check({ source, invalid, violations, utf16 }, report) {
    if (utf16 !== undefined) {
      report({
        message: `this file is ${utf16}, not UTF-8`,
        help: `save it as UTF-8, or convert it with iconv -f ${utf16} -t UTF-8`,
        span: { start: 0, end: source.text.search(/\r?\n|$/) },
      });
      return;
    }
    for (const run of invalid.slice(0, MAX_RUNS)) report(invalidEncoding(run));
    const next = invalid[MAX_RUNS];
    if (next !== undefined) report(moreEncodings(invalid.length - MAX_RUNS, next));
    for (const violation of violations) if (violation.kind === 'encoding') report(violation);
  },
};

const NEWER_FORMS: Readonly<Record<NewerSyntax['kind'], readonly [what: string, help: string]>> = {
  lines: ['an inline table over several lines', 'write it on one line'],
  comma: ['a trailing comma in an inline table', 'delete it'],
  escape: ['the escape', 'write'],
  time: ['a time without seconds', 'add :00'],
};

const newerSyntax: Rule<TomlInput> = {
  id: 'toml/newer-syntax',
  severity: 'warning',
  fixable: 'safe',
  summary:
    'syntax that needs TOML 1.1, such as an inline table over several lines or the escape `\\e`',
  why: 'Formatters, editors and scripts that read the file often support only TOML 1.0 and reject newer syntax.',
  action: 'Write the TOML 1.0 equivalent.',
  examples: {
    fails: `stopping_conditions = { attempts = 10, }\n${WIND}`,
    passes: `stopping_conditions = { attempts = 10 }\n${WIND}`,
  },
  check({ newer, source }, report) {
    for (const { kind, span, edits } of newer) {
      const [what, help] = NEWER_FORMS[kind];
      const isEscape = kind === 'escape';
      const written = isEscape ? ` ${quote(source.text.slice(span.start, span.end))}` : '';
      const title = isEscape ? `${help} ${edits?.[0]?.text}` : help;
      report({
        message: `${what}${written} needs TOML 1.1, which many parsers do not support yet`,
        help: title,
        span,
        fix: edits && { title, kind: 'safe', edits },
      });
    }
  },
};

/** The rules for TOML files of any format. */
export const tomlRules: readonly Rule<TomlInput>[] = [tomlSyntax, tomlEncoding, newerSyntax];

/** Maximum number of invalid byte runs to report separately. A file with more is probably not text. */
const MAX_RUNS = 10;
const MAX_SHOWN = 8;

function moreEncodings(count: number, { span }: InvalidBytes): Violation {
  const message = `invalid UTF-8 in ${count} more ${count === 1 ? 'place' : 'places'}, from here on`;
  return { message, help: 'is this a text file?', span };
}

function invalidEncoding({ span, bytes }: InvalidBytes): Violation {
  const shownBytes = [...bytes.subarray(0, MAX_SHOWN)].map((byte) =>
    byte.toString(16).toUpperCase().padStart(2, '0'),
  );
  if (bytes.length > MAX_SHOWN) shownBytes.push('…');
  return {
    message: `invalid UTF-8: ${bytes.length === 1 ? 'byte' : 'bytes'} ${shownBytes.join(' ')}`,
    help: 'save the file as UTF-8',
    span,
  };
}
