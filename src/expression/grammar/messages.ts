import type { IParserErrorMessageProvider, IToken } from 'chevrotain';

/*
 * What Chevrotain's exceptions say. A user reads the findings of `diagnosis`
 * instead, which know more of the place.
 */

/** What was found: the end of the text has no characters. */
function found(token: IToken | undefined): string {
  return token?.image ? `"${token.image}"` : 'the end';
}

export const messages: IParserErrorMessageProvider = {
  buildMismatchTokenMessage: ({ expected, actual }) =>
    `expected ${expected.name}, found ${found(actual)}`,
  buildNotAllInputParsedMessage: ({ firstRedundant }) =>
    `expected the end, found ${found(firstRedundant)}`,
  buildNoViableAltMessage: ({ ruleName, actual }) =>
    `expected ${ruleName}, found ${found(actual[0])}`,
  buildEarlyExitMessage: ({ ruleName, actual }) =>
    `expected more of ${ruleName}, found ${found(actual[0])}`,
};
