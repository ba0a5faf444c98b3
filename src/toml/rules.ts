import type { Finding, RuleMeta } from '../diagnostics/index.js';
import type { InvalidBytes } from '../source/index.js';

const objective = (attempts: string): string => `name = "Wind"

[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"

[stopping_conditions]
attempts = ${attempts}
`;

export const tomlSyntax: RuleMeta = {
  id: 'toml/syntax',
  severity: 'error',
  mandatory: true,
  summary: 'the file is not TOML',
  why: 'Nothing after the mistake can be read with certainty, so nothing else is checked.',
  action: 'Correct the TOML at the place that is marked.',
  examples: { fails: objective('ten'), passes: objective('10') },
};

export const tomlEncoding: RuleMeta = {
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
};

/** The rules of every TOML file, whatever it holds. */
export const tomlRules: readonly RuleMeta[] = [tomlSyntax, tomlEncoding];

/** Of a file that is no text at all, so many runs of bytes are told one by one. */
const MOST_RUNS = 10;
const MOST_SHOWN = 8;

/** The findings of runs of bytes that are not UTF-8. */
export function invalidEncodings(runs: readonly InvalidBytes[]): Finding[] {
  const told = runs.slice(0, MOST_RUNS).map(invalidEncoding);
  const next = runs[MOST_RUNS];
  if (next === undefined) return told;
  const more = runs.length - MOST_RUNS;
  const message = `invalid UTF-8 in ${more} more ${more === 1 ? 'place' : 'places'}, from here on`;
  return [...told, { message, help: 'is this a text file?', span: next.span }];
}

function invalidEncoding({ span, bytes }: InvalidBytes): Finding {
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
