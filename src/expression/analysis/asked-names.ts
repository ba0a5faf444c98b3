import type { Condition, Expression, Operand } from '../tree/ast.js';

/** For each label the names of events that its pattern asks for. */
export function askedNames({ match }: Expression): Map<string, readonly string[]> {
  return new Map(match.patterns.map(({ label, condition }) => [label.text, namesAsked(condition)]));
}

/** The names of events that a condition of a pattern asks for, in text order; empty where by none. */
export function namesAsked(condition: Condition): string[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.operands.flatMap(namesAsked);
    case 'located':
      return [condition.event.text];
    case 'in':
      return isName(condition.operand) ? condition.values.flatMap(textOf) : [];
    case 'comparison': {
      const { left, comparator, right } = condition;
      if (comparator !== '=') return [];
      if (isName(left)) return textOf(right);
      return isName(right) ? textOf(left) : [];
    }
    default:
      return [];
  }
}

function isName(operand: Operand): boolean {
  return operand.kind === 'attribute' && operand.path.map(({ text }) => text).join('.') === 'name';
}

function textOf(operand: Operand): string[] {
  return operand.kind === 'string' ? [operand.value] : [];
}
