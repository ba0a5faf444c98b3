import { FUNCTIONS } from '../functions/index.js';
import type * as ast from '../tree/ast.js';
import { printString } from '../tree/print.js';
import {
  attributesIn,
  isArithmetic,
  isLiteral,
  type Leaf,
  partsOfArithmetic,
} from '../tree/walk.js';
import { type Kind, kindOfLiteral } from './kinds.js';

export type Kinds = ReadonlySet<Kind>;

/** A requirement on an attribute's kind, without which a comparison or a function has no value. */
export interface Demand {
  readonly attribute: ast.Attribute;
  /** The allowed kinds. By default, the kinds of `other` or, without `other`, all kinds. */
  readonly kinds?: Kinds;
  /** The comparison's other operand, if a literal. */
  readonly literal?: ast.Literal;
  /** The comparison's other operand, if an attribute. */
  readonly other?: ast.Attribute;
}

const NUMBER: Kinds = new Set(['number']);
const STRING: Kinds = new Set(['string']);

/**
 * Returns the demands of a comparison, `IN` or `GLOB`. The demands of `IN` are alternatives, one
 * for each value.
 */
export function demandsOfLeaf(leaf: Leaf): Demand[] {
  switch (leaf.kind) {
    case 'comparison':
      return [...demandsOfSide(leaf.left, leaf.right), ...demandsOfSide(leaf.right, leaf.left)];
    case 'in':
      return leaf.values.flatMap((value) => demandsOfSide(leaf.operand, value));
    case 'glob':
      return demandsOfSide(leaf.operand, leaf.pattern);
    default:
      return [];
  }
}

function demandsOfSide(operand: ast.Operand, other: ast.Operand): Demand[] {
  if (operand.kind !== 'attribute') return demandsIn(operand);
  if (isLiteral(other)) {
    return [{ attribute: operand, kinds: new Set([kindOfLiteral(other)]), literal: other }];
  }
  if (other.kind === 'attribute') return [{ attribute: operand, other }];
  return [{ attribute: operand, kinds: other.kind === 'lower' ? STRING : NUMBER }];
}

/** Returns the demands of arithmetic, `abs` or `lower`. */
function demandsIn(operand: ast.Operand): Demand[] {
  if (operand.kind === 'attribute') return [{ attribute: operand, kinds: NUMBER }];
  if (isArithmetic(operand)) return partsOfArithmetic<ast.Operand>(operand).flatMap(demandsIn);
  if (operand.kind === 'lower') {
    return attributesIn(operand.operand).map((attribute) => ({ attribute, kinds: STRING }));
  }
  return operand.kind === 'abs' ? demandsIn(operand.operand) : [];
}

/** Returns the demands of an AGGREGATE function. */
export function demandsOfCall({ name, argument }: ast.Call): Demand[] {
  if (argument === undefined) return [];
  const isOfAny = FUNCTIONS.get(name.text)?.carries.kind === 'distinct';
  return isOfAny && argument.kind === 'attribute' ? [{ attribute: argument }] : demandsIn(argument);
}

/** Returns the demands of a BY key; empty for a label. */
export function demandsOfKey(key: ast.Key): Demand[] {
  switch (key.kind) {
    case 'name':
      return [];
    case 'attribute':
      return [{ attribute: key }];
    case 'window':
      return [{ attribute: key.time, kinds: NUMBER }];
  }
}

/**
 * Rewrites a literal as a literal of another kind, such as `'500'` for 500. Returns undefined if
 * that is impossible.
 */
export function literalAs({ value }: ast.Literal, kind: Kind): string | undefined {
  const text = String(value);
  switch (kind) {
    case 'boolean':
      if (/^(?:1|true|yes|on)$/i.test(text)) return 'TRUE';
      return /^(?:0|false|no|off)$/i.test(text) ? 'FALSE' : undefined;
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? text : undefined;
    case 'string':
      return printString(text);
  }
}
