import type { TokenType } from '../../src/expression/tokens.js';

/*
 * The grammar of trace expressions as data (spec: trace expressions, "Grammar"):
 * the readers' grammar is written from it, and a test holds the parser to it.
 */

export type Part =
  | { readonly kind: 'token'; readonly label: TokenType }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'optional'; readonly part: Part }
  /** Once or more, with the separator between. */
  | { readonly kind: 'repeat'; readonly part: Part; readonly separator?: Part };

export interface GrammarRule {
  readonly name: string;
  readonly part: Part;
}

const token = (label: TokenType): Part => ({ kind: 'token', label });
const rule = (name: string): Part => ({ kind: 'rule', name });
const sequence = (...parts: readonly Part[]): Part => ({ kind: 'sequence', parts });
const choice = (...parts: readonly Part[]): Part => ({ kind: 'choice', parts });
const optional = (part: Part): Part => ({ kind: 'optional', part });
const repeat = (part: Part, separator?: TokenType): Part =>
  separator === undefined
    ? { kind: 'repeat', part }
    : { kind: 'repeat', part, separator: token(separator) };

const RULES: Readonly<Record<string, Part>> = {
  expression: sequence(
    rule('match'),
    optional(repeat(choice(rule('when'), rule('filter'), rule('aggregate')))),
  ),
  match: sequence(token('MATCH'), repeat(rule('pattern'), ',')),
  pattern: sequence(token('('), rule('condition'), token(')'), token('AS'), rule('label')),
  condition: repeat(rule('conjunction'), 'OR'),
  conjunction: repeat(rule('primary'), 'AND'),
  primary: choice(
    sequence(token('('), rule('condition'), token(')')),
    rule('located'),
    rule('comparison'),
  ),
  located: sequence(rule('place'), token('@'), rule('place')),
  place: choice(rule('name'), token('string')),
  name: choice(token('identifier'), token('quoted identifier')),
  comparison: sequence(rule('operand'), token('comparator'), rule('operand')),
  operand: choice(rule('literal'), rule('attribute')),
  literal: choice(token('string'), token('number'), token('TRUE'), token('FALSE')),
  attribute: sequence(repeat(rule('name'), '.'), optional(sequence(token('@'), rule('place')))),
  label: rule('name'),
  when: sequence(token('WHEN'), rule('chains')),
  chains: repeat(rule('causal'), 'AND'),
  causal: choice(rule('chain'), sequence(token('('), rule('chains'), token(')'))),
  chain: sequence(rule('label'), repeat(sequence(token('->'), rule('label')))),
  filter: sequence(token('FILTER'), rule('condition')),
  aggregate: sequence(token('AGGREGATE'), repeat(rule('measure'), ',')),
  measure: sequence(rule('term'), token('comparator'), rule('term')),
  term: choice(rule('call'), rule('literal')),
  call: sequence(rule('function'), token('('), optional(rule('operand')), token(')')),
  function: rule('name'),
};

/** The rules, in the order in which a reader meets them. */
export const grammarRules: readonly GrammarRule[] = Object.entries(RULES).map(([name, part]) => ({
  name,
  part,
}));

/** How far an expression can be read by the grammar, and whether that is all of it. */
export interface Recognised {
  readonly whole: boolean;
  /** The index of the first token with which no expression goes on. */
  readonly stop: number;
}

/** Follows every way through the grammar at once: slow, and sure. */
export function recognise(tokens: readonly TokenType[]): Recognised {
  const known = new Map<string, ReadonlySet<number>>();
  let stop = 0;
  const ends = (part: Part, start: number): ReadonlySet<number> => {
    switch (part.kind) {
      case 'token':
        if (tokens[start] === part.label) return new Set([start + 1]);
        stop = Math.max(stop, start);
        return new Set();
      case 'rule': {
        const key = `${part.name} ${start}`;
        const found = known.get(key) ?? ends(RULES[part.name] as Part, start);
        known.set(key, found);
        return found;
      }
      case 'sequence': {
        let reached: ReadonlySet<number> = new Set([start]);
        for (const next of part.parts) reached = union([...reached].map((at) => ends(next, at)));
        return reached;
      }
      case 'choice':
        return union(part.parts.map((one) => ends(one, start)));
      case 'optional':
        return union([new Set([start]), ends(part.part, start)]);
      case 'repeat': {
        const again =
          part.separator === undefined ? part.part : sequence(part.separator, part.part);
        const all = new Set(ends(part.part, start));
        for (const end of all) for (const further of ends(again, end)) all.add(further);
        return all;
      }
    }
  };
  const reached = ends(rule('expression'), 0);
  const whole = reached.has(tokens.length);
  return { whole, stop: whole ? tokens.length : Math.max(stop, ...reached) };
}

function union(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]));
}
