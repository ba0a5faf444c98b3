import type { Finding } from '../../diagnostics/index.js';
import type { InvalidBytes } from '../../source/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example } from './example.js';

export const tomlEncoding: ObjectiveRule = {
  meta: {
    id: 'toml/encoding',
    severity: 'error',
    mandatory: true,
    summary: 'invalid UTF-8, or an integer outside 64 bits',
    why: 'Another reader of the file would see other characters or another number.',
    action: 'Save the file as UTF-8; keep integers from -2^63 to 2^63 - 1.',
    examples: {
      fails: example('[mutation_constraints]\nmax_concurrent_mutations = 9223372036854775808'),
      passes: example('[mutation_constraints]\nmax_concurrent_mutations = 9223372036854775807'),
    },
  },
};

const MOST_SHOWN = 8;

/** The finding of a run of bytes that is not UTF-8. */
export function invalidEncoding({ span, bytes }: InvalidBytes): Finding {
  const shown = [...bytes.subarray(0, MOST_SHOWN)].map((byte) =>
    byte.toString(16).toUpperCase().padStart(2, '0'),
  );
  if (bytes.length > MOST_SHOWN) shown.push('…');
  const utf16 = span.start === 0 && (shown.join(' ').startsWith('FF FE') || shown[0] === 'FE');
  return {
    message: `invalid UTF-8: ${bytes.length === 1 ? 'byte' : 'bytes'} ${shown.join(' ')}`,
    help: utf16 ? 'this looks like UTF-16: save the file as UTF-8' : 'save the file as UTF-8',
    span,
  };
}
