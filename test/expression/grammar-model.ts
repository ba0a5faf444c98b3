import {
  Alternation,
  Alternative,
  type IProduction,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
  tokenLabel,
} from 'chevrotain';
import { TraceParser } from '../../src/expression/parser.js';

/** A grammar for people, made from the parser itself. */
export type Part =
  | { readonly kind: 'token'; readonly label: string }
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

/** The rules of trace expressions, in the order in which the parser defines them. */
export function grammarRules(): readonly GrammarRule[] {
  const rules = Object.values(new TraceParser(true).getGAstProductions());
  const order = [...reach('expression', new Map(rules.map((rule) => [rule.name, rule])))];
  return order.map((rule) => ({ name: rule.name, part: sequence(rule.definition) }));
}

/** The rules in the order in which a reader meets them. */
function reach(name: string, rules: ReadonlyMap<string, Rule>, met = new Set<Rule>()): Set<Rule> {
  const rule = rules.get(name);
  if (rule === undefined || met.has(rule)) return met;
  met.add(rule);
  for (const next of namesIn(sequence(rule.definition))) reach(next, rules, met);
  return met;
}

function namesIn(part: Part): string[] {
  switch (part.kind) {
    case 'token':
      return [];
    case 'rule':
      return [part.name];
    case 'sequence':
    case 'choice':
      return part.parts.flatMap(namesIn);
    case 'optional':
    case 'repeat':
      return namesIn(part.part);
  }
}

function sequence(definition: readonly IProduction[]): Part {
  const parts = definition.map(partOf);
  return parts.length === 1 ? (parts[0] as Part) : { kind: 'sequence', parts };
}

function partOf(production: IProduction): Part {
  if (production instanceof Terminal) {
    return { kind: 'token', label: tokenLabel(production.terminalType) };
  }
  if (production instanceof NonTerminal) {
    const { nonTerminalName: name, referencedRule } = production;
    const [only] = referencedRule.definition;
    const isToken = only instanceof Terminal && tokenLabel(only.terminalType) === name;
    return isToken ? { kind: 'token', label: name } : { kind: 'rule', name };
  }
  if (production instanceof Alternation) {
    return { kind: 'choice', parts: production.definition.map(partOf) };
  }
  if (production instanceof Alternative) return sequence(production.definition);
  if (production instanceof Option) {
    return { kind: 'optional', part: sequence(production.definition) };
  }
  if (production instanceof Repetition) {
    const part: Part = { kind: 'repeat', part: sequence(production.definition) };
    return { kind: 'optional', part };
  }
  if (production instanceof RepetitionMandatory) {
    return { kind: 'repeat', part: sequence(production.definition) };
  }
  if (production instanceof RepetitionMandatoryWithSeparator) return separated(production);
  if (production instanceof RepetitionWithSeparator) {
    return { kind: 'optional', part: separated(production) };
  }
  throw new Error('a production of another kind');
}

function separated({ definition, separator }: RepetitionWithSeparator): Part {
  const label = tokenLabel(separator);
  return { kind: 'repeat', part: sequence(definition), separator: { kind: 'token', label } };
}
