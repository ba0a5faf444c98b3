import type { Part, Production } from './productions.js';
import { BETWEEN, shown, TOKEN_SHAPES } from './token-shapes.js';

/** The grammar as text: `{ }` is none or more, `[ ]` none or one. */
export function toEbnf(rules: readonly Production[]): string {
  const width = Math.max(...rules.map(({ name }) => name.length));
  const lines = rules.map(({ name, part }) => `${name.padEnd(width)} = ${write(part)} ;`);
  const tokens = [...TOKEN_SHAPES, ...BETWEEN].map((shape) => {
    const note = shape.note === '' ? '' : `   (* ${shape.note} *)`;
    return `${hyphened(shape.label).padEnd(17)} = /${shown(shape)}/ ;${note}`;
  });
  return [
    '(* Trace expressions. A test holds the parser to this grammar. *)',
    '',
    ...lines,
    '',
    '(* Tokens. Keywords are case-insensitive and reserved; white space and comments are free. *)',
    '',
    ...tokens,
    '',
  ].join('\n');
}

const FIXED = new Set(TOKEN_SHAPES.map(({ label }) => label));

function write(part: Part): string {
  switch (part.kind) {
    case 'token':
      return FIXED.has(part.label) ? hyphened(part.label) : `"${part.label}"`;
    case 'rule':
      return part.name;
    case 'sequence':
      return part.parts.map(group).join(' ');
    case 'choice':
      return part.parts.map(write).join(' | ');
    case 'optional':
      return part.part.kind === 'repeat' && part.part.separator === undefined
        ? `{ ${write(part.part.part)} }`
        : `[ ${write(part.part)} ]`;
    case 'repeat': {
      const separator = part.separator === undefined ? '' : `${write(part.separator)} `;
      return `${group(part.part)} { ${separator}${group(part.part)} }`;
    }
  }
}

function group(part: Part): string {
  return part.kind === 'choice' ? `( ${write(part)} )` : write(part);
}

function hyphened(label: string): string {
  return label.replaceAll(' ', '-');
}
