/** The types of semantic tokens. */
export const TOKEN_TYPES = [
  'keyword',
  'operator',
  'string',
  'number',
  'comment',
  'variable',
  'property',
  'function',
  'enumMember',
  'namespace',
] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

/** The legend of semantic tokens, sent to the client. */
export const LEGEND = { tokenTypes: [...TOKEN_TYPES], tokenModifiers: ['declaration'] };
