import type { Expression } from './ast.js';

/**
 * The tree of an expression as JSON on one line, as `perturb expression check
 * --format json` has it. Integers are exact, also beyond 53 bits.
 */
export function expressionToJson(expression: Expression): string {
  return write(expression) ?? 'null';
}

function write(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, member]) => {
    const text = write(member);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`];
  });
  return `{${members.join(',')}}`;
}
