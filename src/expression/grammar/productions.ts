import type { ISerializedGast } from 'chevrotain';
import { TraceGrammar } from './grammar.js';

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
  readonly separator: Node;
  readonly definition: Node[];
}

/** The productions of the parser, in the order of the grammar. */
export function productions(): Production[] {
  const rules = new TraceGrammar().getSerializedGastProductions() as Node[];
  return rules.map(({ name, definition }) => ({ name, part: sequenceOf(definition) }));
}

function sequenceOf(definition: readonly Node[]): Part {
  const [only, ...others] = definition.map(partOf);
  if (only !== undefined && others.length === 0) return only;
  return { kind: 'sequence', parts: definition.map(partOf) };
}

function partOf({ type, name, label, separator, definition }: Node): Part {
  switch (type) {
    case 'Terminal':
      return { kind: 'token', label };
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
