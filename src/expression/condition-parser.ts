import type {
  Attribute,
  Comparator,
  Comparison,
  Condition,
  Literal,
  Located,
  Name,
  Operand,
} from './ast.js';
import type { Part, TokenReader } from './token-reader.js';
import { spanOf, type Token, type TokenType } from './tokens.js';

/*
 * The grammar of conditions: from OR down to names and values. Each function
 * reads what its name says, or stops the reader where that is not there.
 */

/** `conjunction { "OR" conjunction }` */
export function readCondition(reader: TokenReader): Condition {
  return readLogical(reader, 'or', 'OR', readConjunction);
}

/** `primary { "AND" primary }` */
function readConjunction(reader: TokenReader): Condition {
  return readLogical(reader, 'and', 'AND', readPrimary);
}

/** One operand is itself; of several, those in parentheses that have the same operator are opened. */
function readLogical(
  reader: TokenReader,
  kind: 'and' | 'or',
  separator: TokenType,
  readOperand: (reader: TokenReader) => Condition,
): Condition {
  const start = reader.start();
  const first = readOperand(reader);
  if (reader.type !== separator) return first;
  const operands: Condition[] = [];
  const add = (part: Condition): void =>
    part.kind === kind ? append(operands, part.operands) : void operands.push(part);
  add(first);
  while (reader.take(separator)) add(readOperand(reader));
  return { kind, span: reader.since(start), operands };
}

/** `"(" condition ")" | located | comparison` */
function readPrimary(reader: TokenReader): Condition {
  switch (reader.type) {
    case '(': {
      reader.next();
      const condition = readCondition(reader);
      reader.expect(')', 'condition');
      return condition;
    }
    case 'identifier':
    case 'quoted identifier':
    case 'string':
      return isLocated(reader) ? readLocated(reader) : readComparison(reader);
    case 'number':
    case 'TRUE':
    case 'FALSE':
      return readComparison(reader);
    default:
      return reader.stop('condition');
  }
}

/** Whether `place @ place` follows, and is not the left side of a comparison. */
function isLocated(reader: TokenReader): boolean {
  if (reader.peek(1) !== '@') return false;
  return reader.type === 'string' || (isPlace(reader.peek(2)) && reader.peek(3) !== 'comparator');
}

/** `place "@" place` */
function readLocated(reader: TokenReader): Located {
  const start = reader.start();
  const event = readPlace(reader);
  reader.expect('@', 'condition');
  const probe = readPlace(reader);
  return { kind: 'located', span: reader.since(start), event, probe };
}

/** `operand comparator operand` */
function readComparison(reader: TokenReader): Comparison {
  const start = reader.start();
  const left = readOperand(reader);
  const comparator = readComparator(reader);
  const right = readOperand(reader);
  return { kind: 'comparison', span: reader.since(start), left, comparator, right };
}

/** `literal | attribute` */
export function readOperand(reader: TokenReader): Operand {
  const type = reader.type;
  if (isLiteral(type)) return readLiteral(reader);
  return isName(type) ? readAttribute(reader) : reader.stop('operand');
}

/** `name { "." name } [ "@" place ]` */
function readAttribute(reader: TokenReader): Attribute {
  const start = reader.start();
  const path = [readName(reader, 'attribute')];
  while (reader.take('.')) path.push(readName(reader, 'attribute'));
  if (!reader.take('@')) return { kind: 'attribute', span: reader.since(start), path };
  const probe = readPlace(reader);
  return { kind: 'attribute', span: reader.since(start), path, probe };
}

/** `= != < <= > >=` */
export function readComparator(reader: TokenReader): Comparator {
  return reader.expect('comparator', 'comparator').image as Comparator;
}

/** Whether a literal begins with such a token. */
export function isLiteral(type: TokenType | undefined): boolean {
  return type === 'string' || type === 'number' || type === 'TRUE' || type === 'FALSE';
}

/** The literal that is known to be there. */
export function readLiteral(reader: TokenReader): Literal {
  const token = reader.next();
  const span = spanOf(token);
  const { type, value } = token;
  if (typeof value === 'bigint') return { kind: 'integer', span, value };
  if (typeof value === 'number') return { kind: 'float', span, value };
  if (typeof value === 'string') return { kind: 'string', span, value };
  return { kind: 'boolean', span, value: type === 'TRUE' };
}

/** Whether a name begins with such a token. */
export function isName(type: TokenType | undefined): boolean {
  return type === 'identifier' || type === 'quoted identifier';
}

/** `identifier | quoted identifier`, as part of what is told where there is none. */
export function readName(reader: TokenReader, part: Part): Name {
  return isName(reader.type) ? nameOf(reader.next()) : reader.stop(part);
}

function isPlace(type: TokenType | undefined): boolean {
  return isName(type) || type === 'string';
}

/** `name | string`: the name of an event or of a probe. */
function readPlace(reader: TokenReader): Name {
  return isPlace(reader.type) ? nameOf(reader.next()) : reader.stop('probe');
}

function nameOf(token: Token): Name {
  const text = token.type === 'identifier' ? token.image : (token.value as string);
  return { kind: 'name', span: spanOf(token), text };
}

/** Not `push(...more)`: a long argument list overflows the stack. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item);
}
