import { type ISerializedGast, Lexer } from 'chevrotain';
import { TraceGrammar, tokens } from './grammar.js';

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
  const rules = new TraceGrammar().getSerializedGastProductions() as Node[];
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
        : { kind: 'token', label };
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
