import { check } from '../../src/expression/index.js';

/**
 * What is found in an expression: each finding as its rule, message, help, and
 * the texts that it marks with where they begin, the main one first.
 */
export function told(text: string): string[][] {
  return check(text, { role: 'check' }).findings.map(
    ({ rule, message, help = '', span, related = [] }) => [
      rule.replace('expression/', ''),
      message,
      help,
      ...[span, ...related.map((other) => other.span)].map(
        ({ start, end }) => `${start} ${text.slice(start, end)}`,
      ),
    ],
  );
}
