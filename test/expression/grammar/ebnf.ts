import { type ISerializedGast, Lexer } from 'chevrotain';
import { TraceGrammar } from '../../../src/expression/grammar/grammar.js';
import { tokens } from '../../../src/expression/lexer/lexer.js';
import { KEYWORDS } from '../../../src/expression/tree/print.js';

/* The productions of the grammar as data, from which it is written and drawn for its readers. */

export type Part =
  | { readonly kind: 'token'; readonly label: string }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'optional'; readonly part: Part }
  /** Once or more, with the separator between. */
  | { readonly kind: 'repeat'; readonly part: Part; readonly separator?: Part };

export interface Production {
  readonly name: string;
  readonly part: Part;
}

/** What Chevrotain gives of a production: it types the fields of none. */
interface Node extends ISerializedGast {
  readonly name: string;
  readonly label: string;
  /** What a token is called where it stands. */
  readonly terminalLabel?: string;
  readonly separator: Node;
  readonly definition: Node[];
}

/** Each category of tokens, as a choice between those that are in it, by their definition. */
const CATEGORIES = new Map(
  tokens
    .filter(({ PATTERN }) => PATTERN === Lexer.NA)
    .map((category): [string, Part] => {
      const members = tokens
        .filter(({ CATEGORIES }) => CATEGORIES?.includes(category))
        .sort((a, b) => (a.tokenTypeIdx ?? 0) - (b.tokenTypeIdx ?? 0));
      const parts = members.map(({ name }): Part => ({ kind: 'token', label: name }));
      return [category.name, { kind: 'choice', parts }];
    }),
);

/**
 * The productions of the parser in the order of the grammar, and the categories
 * of tokens as productions too, each after the first one that needs it.
 */
export function productions(): Production[] {
  const all = new TraceGrammar().getSerializedGastProductions() as Node[];
  const top = all.findIndex(({ name }) => name === 'expression');
  const rules = [...all.slice(top), ...all.slice(0, top)];
  const found = new Map<string, Part>();
  for (const { name, definition } of rules) {
    found.set(name, sequenceOf(definition));
    for (const node of terminalsIn(definition)) {
      const category = CATEGORIES.get(node.name);
      if (category === undefined) continue;
      if (node.terminalLabel !== undefined) {
        found.set(node.terminalLabel, { kind: 'rule', name: node.name });
      }
      found.set(node.name, category);
    }
  }
  return [...found].map(([name, part]) => ({ name, part }));
}

function terminalsIn(definition: readonly Node[]): Node[] {
  return definition.flatMap((node) =>
    node.type === 'Terminal' ? [node] : terminalsIn(node.definition ?? []),
  );
}

function sequenceOf(definition: readonly Node[]): Part {
  const [only, ...others] = definition.map(partOf);
  if (only !== undefined && others.length === 0) return only;
  return { kind: 'sequence', parts: definition.map(partOf) };
}

function partOf({ type, name, label, terminalLabel, separator, definition }: Node): Part {
  switch (type) {
    case 'Terminal':
      return CATEGORIES.has(name)
        ? { kind: 'rule', name: terminalLabel ?? name }
        : { kind: 'token', label: terminalLabel ?? label };
    case 'NonTerminal':
      return { kind: 'rule', name };
    case 'Alternation':
      return { kind: 'choice', parts: definition.map(partOf) };
    case 'Option':
      return { kind: 'optional', part: sequenceOf(definition) };
    case 'Repetition':
      return { kind: 'optional', part: { kind: 'repeat', part: sequenceOf(definition) } };
    case 'RepetitionMandatory':
      return { kind: 'repeat', part: sequenceOf(definition) };
    case 'RepetitionMandatoryWithSeparator':
      return { kind: 'repeat', part: sequenceOf(definition), separator: partOf(separator) };
    case 'RepetitionWithSeparator': {
      const part = sequenceOf(definition);
      return { kind: 'optional', part: { kind: 'repeat', part, separator: partOf(separator) } };
    }
    case 'Alternative':
    case 'Rule':
      return sequenceOf(definition);
  }
}

/** What a token looks like, for the grammar's readers; a test compares it with the lexer. */
interface TokenShape {
  readonly label: string;
  readonly pattern: RegExp;
  readonly note: string;
}

export const TOKEN_SHAPES: readonly TokenShape[] = [
  {
    label: 'identifier',
    pattern: /^[A-Za-z_][A-Za-z0-9_]*(-+[A-Za-z0-9_]+)*$/,
    note: 'hyphens only inside; not a reserved word',
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
    note: 'an integer (64 bits) without fraction or exponent, otherwise a float (finite)',
  },
  {
    label: 'duration',
    pattern: /^-?[0-9]+(\.[0-9]+)?(ns|us|ms|s|min|h)$/,
    note: 'a whole number of nanoseconds (64 bits)',
  },
  { label: 'sign', pattern: /^[+-]$/, note: 'with white space on both sides' },
  { label: 'factor sign', pattern: /^[*/]$/, note: '' },
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
    `(* Tokens. Words in capitals and the names of functions are case-insensitive. ${KEYWORDS.join(' ')} are reserved; the others are names, except where the grammar has them. White space and comments may stand between any two tokens. *)`,
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
