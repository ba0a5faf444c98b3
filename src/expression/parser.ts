import type { Span } from '../source/index.js';
import type {
  Aggregate,
  Call,
  Chain,
  Expression,
  Filter,
  Match,
  Measure,
  Name,
  Pattern,
  Term,
  When,
} from './ast.js';
import {
  append,
  isLiteral,
  isName,
  readComparator,
  readCondition,
  readLiteral,
  readName,
  readOperand,
} from './condition-parser.js';
import { Stopped, TokenReader } from './token-reader.js';
import type { Token } from './tokens.js';

/*
 * The grammar of trace expressions, by recursive descent. One token of lookahead
 * decides everywhere but between `located` and `comparison`. It stops at the
 * first error; `diagnose` finds the others. The grammar as such is in
 * grammar/trace-expression.ebnf.
 */

/** Reads a part of the grammar; `read` calls it. */
export type Rule<T> = (reader: TokenReader) => T;

type Reading<T> =
  | { readonly tree: T; readonly stopped: undefined }
  | { readonly tree: T | undefined; readonly stopped: Stopped };

/** Reads `tokens` by one rule: its tree, and why reading stopped before their end. */
export function read<T>(rule: Rule<T>, tokens: readonly Token[]): Reading<T> {
  const reader = new TokenReader(tokens);
  let tree: T | undefined;
  try {
    tree = rule(reader);
    if (reader.type !== undefined) reader.stop('end');
    return { tree, stopped: undefined };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { tree, stopped: error };
  }
}

/** `match { when | filter | aggregate }`, none of them twice. */
export function readExpression(reader: TokenReader): Expression {
  const start = reader.start();
  const match = readMatch(reader);
  const read: { -readonly [K in keyof Expression]: Expression[K] } = {
    kind: 'expression',
    span: match.span,
    match,
  };
  for (;;) {
    const type = reader.type;
    if (type === 'WHEN' && read.when === undefined) read.when = readWhen(reader);
    else if (type === 'FILTER' && read.filter === undefined) read.filter = readFilter(reader);
    else if (type === 'AGGREGATE' && read.aggregate === undefined) {
      read.aggregate = readAggregate(reader);
    } else break;
  }
  read.span = reader.since(start);
  return read;
}

/** `"MATCH" pattern { "," pattern }` */
function readMatch(reader: TokenReader): Match {
  const start = reader.start();
  reader.expect('MATCH', 'pattern');
  const patterns = [readPattern(reader)];
  while (reader.take(',')) patterns.push(readPattern(reader));
  return { kind: 'match', span: reader.since(start), patterns };
}

/** `"(" condition ")" "AS" label` */
export function readPattern(reader: TokenReader): Pattern {
  const start = reader.start();
  reader.expect('(', 'pattern');
  const condition = readCondition(reader);
  reader.expect(')', 'pattern');
  reader.expect('AS', 'pattern');
  const label = readLabel(reader);
  return { kind: 'pattern', span: reader.since(start), condition, label };
}

/** `"WHEN" chains` */
function readWhen(reader: TokenReader): When {
  const start = reader.start();
  reader.next();
  const chains = readChains(reader);
  return { kind: 'when', span: reader.since(start), chains };
}

/** `causal { "AND" causal }` */
function readChains(reader: TokenReader): Chain[] {
  const chains = readCausal(reader);
  while (reader.take('AND')) append(chains, readCausal(reader));
  return chains;
}

/** `chain | "(" chains ")"` */
export function readCausal(reader: TokenReader): Chain[] {
  if (isName(reader.type)) return [readChain(reader)];
  if (!reader.take('(')) return reader.stop('causal');
  const chains = readChains(reader);
  reader.expect(')', 'causal');
  return chains;
}

/** `label "->" label { "->" label }` */
function readChain(reader: TokenReader): Chain {
  const start = reader.start();
  const labels = [readLabel(reader)];
  const arrows: Span[] = [];
  while (reader.type === '->') {
    const { start, end } = reader.next();
    arrows.push({ start, end });
    labels.push(readLabel(reader));
  }
  if (arrows.length === 0) reader.stop('chain');
  return { kind: 'chain', span: reader.since(start), labels, arrows };
}

/** `"FILTER" condition` */
function readFilter(reader: TokenReader): Filter {
  const start = reader.start();
  reader.next();
  const condition = readCondition(reader);
  return { kind: 'filter', span: reader.since(start), condition };
}

/** `"AGGREGATE" measure { "," measure }` */
function readAggregate(reader: TokenReader): Aggregate {
  const start = reader.start();
  reader.next();
  const measures = [readMeasure(reader)];
  while (reader.take(',')) measures.push(readMeasure(reader));
  return { kind: 'aggregate', span: reader.since(start), measures };
}

/** `term comparator term` */
export function readMeasure(reader: TokenReader): Measure {
  const start = reader.start();
  const left = readTerm(reader);
  const comparator = readComparator(reader);
  const right = readTerm(reader);
  return { kind: 'measure', span: reader.since(start), left, comparator, right };
}

/** `call | literal` */
function readTerm(reader: TokenReader): Term {
  const type = reader.type;
  if (isLiteral(type)) return readLiteral(reader);
  return isName(type) ? readCall(reader) : reader.stop('term');
}

/** `function "(" [ operand ] ")"` */
function readCall(reader: TokenReader): Call {
  const start = reader.start();
  const name = readName(reader, 'term');
  reader.expect('(', 'call');
  const type = reader.type;
  const argument = isLiteral(type) || isName(type) ? readOperand(reader) : undefined;
  reader.expect(')', 'call');
  const span = reader.since(start);
  return argument === undefined
    ? { kind: 'call', span, name }
    : { kind: 'call', span, name, argument };
}

function readLabel(reader: TokenReader): Name {
  return readName(reader, 'label');
}
