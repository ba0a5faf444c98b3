/** The types of coloured tokens. */
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

/** The server's token types, for the client. */
export const LEGEND = { tokenTypes: [...TOKEN_TYPES], tokenModifiers: ['declaration'] };
