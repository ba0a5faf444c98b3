/** The types of tokens that are coloured. */
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

/** What the tokens of this server mean, for the client. */
export const LEGEND = { tokenTypes: [...TOKEN_TYPES], tokenModifiers: ['declaration'] };
