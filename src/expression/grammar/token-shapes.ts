/** What a token looks like, for the grammar's readers; a test compares it with the lexer. */
export interface TokenShape {
  readonly label: string;
  readonly pattern: RegExp;
  readonly note: string;
}

export const TOKEN_SHAPES: readonly TokenShape[] = [
  {
    label: 'identifier',
    pattern: /^[A-Za-z_][A-Za-z0-9_]*(-+[A-Za-z0-9_]+)*$/,
    note: 'inner hyphens only; no keyword',
  },
  { label: 'quoted identifier', pattern: /^`[^`\r\n]+`$/, note: 'any name, on one line' },
  {
    label: 'string',
    pattern:
      /^('([^'\\\r\n]|\\['"\\nrt]|\\u[0-9a-fA-F]{4})*'|"([^"\\\r\n]|\\['"\\nrt]|\\u[0-9a-fA-F]{4})*")$/,
    note: 'on one line',
  },
  {
    label: 'number',
    pattern: /^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/,
    note: 'an integer (64 bits) without fraction and exponent, else a float (finite)',
  },
  {
    label: 'duration',
    pattern: /^-?[0-9]+(\.[0-9]+)?(ns|us|ms|s|min|h)$/,
    note: 'a whole number of nanoseconds (64 bits)',
  },
  { label: 'sign', pattern: /^[+-]$/, note: 'with white space on both sides' },
  { label: 'comparator', pattern: /^(=|!=|<|<=|>|>=)$/, note: '' },
];

/** What may stand between any two tokens. */
export const BETWEEN: readonly TokenShape[] = [
  { label: 'white space', pattern: /^[ \t\r\n]+$/, note: '' },
  { label: 'comment', pattern: /^#[^\r\n]*$/, note: 'to the end of the line' },
];

/** A pattern without its anchors, as it is shown. */
export function shown({ pattern }: TokenShape): string {
  return pattern.source.replace(/^\^/, '').replace(/\$$/, '');
}
