import type { ExpressionRule } from '../rule.js';

/** What the parser could not read; its texts are in `diagnosis` and in `lexer`. */
export const syntax: ExpressionRule = {
  meta: {
    id: 'expression/syntax',
    severity: 'error',
    mandatory: true,
    fixable: true,
    summary: 'the expression cannot be read: something is missing, misspelt or out of place',
    why: 'An expression that cannot be read has no meaning, so the measurement can never be taken.',
    action: 'Write what the message asks for, at the place of the finding.',
    examples: {
      fails: "MATCH (name == 'fault') AS f",
      passes: "MATCH (name = 'fault') AS f",
    },
  },
  check({ syntax }, report) {
    for (const violation of syntax) report(violation);
  },
};
