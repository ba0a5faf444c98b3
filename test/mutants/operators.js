/*
 * What may be changed in a piece of code: each mutation is an edit of the
 * source text inside of a node. Changes that another one subsumes are left out.
 */
import ts from 'typescript';
import { regexEdits } from './regex.js';

/**
 * @typedef {{ start: number, end: number, text: string }} Edit
 * @typedef {Edit & { operator: string }} Mutation
 */

const K = ts.SyntaxKind;

/** @type {ReadonlyMap<ts.SyntaxKind, readonly string[]>} */
const BINARY = new Map([
  [K.LessThanToken, ['<=', '>=']],
  [K.LessThanEqualsToken, ['<', '>']],
  [K.GreaterThanToken, ['>=', '<=']],
  [K.GreaterThanEqualsToken, ['>', '<']],
  [K.EqualsEqualsEqualsToken, ['!==']],
  [K.ExclamationEqualsEqualsToken, ['===']],
  [K.AmpersandAmpersandToken, ['||']],
  [K.BarBarToken, ['&&']],
  [K.PlusToken, ['-']],
  [K.MinusToken, ['+']],
  [K.AsteriskToken, ['/']],
  [K.AsteriskAsteriskToken, ['*']],
  [K.SlashToken, ['*']],
  [K.PercentToken, ['*']],
  [K.LessThanLessThanToken, ['>>']],
  [K.GreaterThanGreaterThanToken, ['<<']],
  [K.AmpersandToken, ['|']],
  [K.BarToken, ['&']],
  [K.PlusEqualsToken, ['-=']],
  [K.MinusEqualsToken, ['+=']],
  [K.BarEqualsToken, ['&=']],
  [K.AmpersandEqualsToken, ['|=']],
  [K.QuestionQuestionEqualsToken, ['=']],
]);

/** Operators whose result is a truth value: the whole may be put as `true` or `false`. */
const TRUTH = new Set([
  K.LessThanToken,
  K.LessThanEqualsToken,
  K.GreaterThanToken,
  K.GreaterThanEqualsToken,
  K.EqualsEqualsEqualsToken,
  K.ExclamationEqualsEqualsToken,
  K.AmpersandAmpersandToken,
  K.BarBarToken,
  K.InstanceOfKeyword,
  K.InKeyword,
]);

/** Methods and the ones that may stand in their place; an empty name leaves the call out. */
const METHODS = new Map([
  ['filter', ['']],
  ['sort', ['']],
  ['reverse', ['']],
  ['toSorted', ['']],
  ['toReversed', ['']],
  ['slice', ['']],
  ['trim', ['']],
  ['trimStart', ['']],
  ['trimEnd', ['']],
  ['normalize', ['']],
  ['padStart', ['']],
  ['padEnd', ['']],
  ['toUpperCase', ['', 'toLowerCase']],
  ['toLowerCase', ['', 'toUpperCase']],
  ['every', ['some']],
  ['some', ['every']],
  ['startsWith', ['endsWith']],
  ['endsWith', ['startsWith']],
  ['indexOf', ['lastIndexOf']],
  ['lastIndexOf', ['indexOf']],
  ['find', ['findLast']],
  ['min', ['max']],
  ['max', ['min']],
  ['floor', ['ceil']],
  ['ceil', ['floor']],
]);

/**
 * The mutations of an expression that may be put in parentheses.
 *
 * @param {ts.Expression} node
 * @returns {Mutation[]}
 */
export function mutationsOfExpression(node) {
  /** @type {Mutation[]} */
  const found = [];
  /** @type {(operator: string, text: string, at?: ts.Node) => void} */
  const replace = (operator, text, at = node) =>
    void found.push({ operator, text, start: at.getStart(), end: at.end });

  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node;
    const kind = operatorToken.kind;
    const joinsText = kind === K.PlusToken && (isText(left) || isText(right));
    for (const other of joinsText ? [] : (BINARY.get(kind) ?? [])) {
      replace('operator', other, operatorToken);
    }
    if (kind === K.QuestionQuestionToken) {
      replace('fallback', left.getText());
      if (!isNothing(right)) replace('fallback', right.getText());
    }
  }
  if (isTruth(node) || isCondition(node)) {
    if (!isLoopCondition(node)) replace('condition', 'true');
    replace('condition', 'false');
  }
  if (ts.isPrefixUnaryExpression(node)) {
    if (node.operator === K.ExclamationToken || node.operator === K.MinusToken) {
      replace('sign', node.operand.getText());
    } else if (node.operator === K.PlusPlusToken) replace('sign', `--${node.operand.getText()}`);
    else if (node.operator === K.MinusMinusToken) replace('sign', `++${node.operand.getText()}`);
  }
  if (ts.isPostfixUnaryExpression(node)) {
    const other = node.operator === K.PlusPlusToken ? '--' : '++';
    replace('sign', node.operand.getText() + other);
  }
  if (node.kind === K.TrueKeyword) replace('literal', 'false');
  if (node.kind === K.FalseKeyword) replace('literal', 'true');
  if (isText(node) && !isCompared(node)) {
    const isEmpty = ts.isStringLiteralLike(node) && node.text === '';
    replace('literal', isEmpty ? "'mutant'" : "''");
  }
  if ((ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) && !isCompared(node)) {
    replace('literal', `${node.getText()} + ${ts.isNumericLiteral(node) ? '1' : '1n'}`);
  }
  if (ts.isRegularExpressionLiteral(node)) {
    for (const text of regexEdits(node.getText())) replace('pattern', text);
  }
  if (ts.isArrayLiteralExpression(node)) {
    if (node.elements.length === 0) replace('element', "['mutant']");
    for (const edit of removals(node.elements)) found.push({ operator: 'element', ...edit });
  }
  if (ts.isObjectLiteralExpression(node)) {
    for (const edit of removals(node.properties)) found.push({ operator: 'property', ...edit });
  }
  if (isChainEnd(node)) found.push(...mutationsOfChain(node));
  if (isBody(node) && !isNothing(node)) {
    if (found.every(({ text }) => text !== 'false')) replace('body', 'undefined');
  }
  return found;
}

/**
 * The mutations of the members and calls that hang on one another: `a?.b.c(d)`.
 *
 * @param {ts.Expression} end
 * @returns {Mutation[]}
 */
function mutationsOfChain(end) {
  /** @type {Mutation[]} */
  const found = [];
  for (let link = end; isLink(link); link = link.expression) {
    const question = ts.isNonNullExpression(link) ? undefined : link.questionDotToken;
    if (question !== undefined) {
      const text = ts.isPropertyAccessExpression(link) ? '.' : '';
      found.push({ operator: 'chain', start: question.getStart(), end: question.end, text });
    }
    if (!ts.isCallExpression(link) || !ts.isPropertyAccessExpression(link.expression)) continue;
    const { expression, name } = link.expression;
    for (const other of METHODS.get(name.text) ?? []) {
      found.push(
        other === ''
          ? { operator: 'method', start: expression.end, end: link.end, text: '' }
          : { operator: 'method', start: name.getStart(), end: name.end, text: other },
      );
    }
  }
  return found;
}

/**
 * Whether the statement may be left out by itself: one that is all that its
 * branch or function holds is left out with that.
 *
 * @param {ts.Statement} node
 */
export function isRemovable(node) {
  const { parent } = node;
  if (ts.isIfStatement(parent) && parent.thenStatement === node)
    return parent.elseStatement !== undefined;
  if (ts.isBlock(parent) && parent.statements.length === 1) {
    const isBranch = ts.isIfStatement(parent.parent) && parent.parent.elseStatement === undefined;
    if (isBranch || isEmptiable(parent)) return false;
  }
  if (ts.isReturnStatement(node)) {
    const isLast =
      ts.isBlock(parent) && ts.isFunctionLike(parent.parent) && parent.statements.at(-1) === node;
    return !isLast;
  }
  return (
    ts.isExpressionStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isBreakStatement(node) ||
    ts.isContinueStatement(node)
  );
}

/**
 * Whether the block may be emptied: of a function, an `else`, or a loop that
 * ends without it.
 *
 * @param {ts.Block} node
 */
export function isEmptiable(node) {
  const { parent } = node;
  if (node.statements.length === 0) return false;
  if (ts.isFunctionLike(parent)) return !ts.isConstructorDeclaration(parent);
  if (ts.isIfStatement(parent)) return parent.elseStatement === node;
  return ts.isForOfStatement(parent) || ts.isForInStatement(parent);
}

/** Whether it is what an arrow function gives. @param {ts.Node} node */
export function isBody(node) {
  return ts.isArrowFunction(node.parent) && node.parent.body === node;
}

/**
 * Whether it is a part of a chain such as `a?.b.c(d)`, but for its beginning.
 *
 * @param {ts.Node} node
 * @returns {node is ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.CallExpression | ts.NonNullExpression}
 */
export function isLink(node) {
  return (
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isCallExpression(node) ||
    ts.isNonNullExpression(node)
  );
}

/** Whether it is a whole chain. @param {ts.Node} node */
export function isChainEnd(node) {
  return isLink(node) && !(isLink(node.parent) && node.parent.expression === node);
}

/** @param {ts.Node} node */
function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Whether it is compared with something: another value there is the same as `false`. @param {ts.Node} node */
function isCompared(node) {
  const { parent } = node;
  if (ts.isCaseClause(parent)) return false;
  if (!ts.isBinaryExpression(parent)) return false;
  const { kind } = parent.operatorToken;
  return kind === K.EqualsEqualsEqualsToken || kind === K.ExclamationEqualsEqualsToken;
}

/** @param {ts.Node} node */
function isNothing(node) {
  return ts.isIdentifier(node) && node.text === 'undefined';
}

/** @param {ts.Node} node */
function isTruth(node) {
  if (!ts.isBinaryExpression(node) || !TRUTH.has(node.operatorToken.kind)) return false;
  return !isPartOfSame(node);
}

/** Whether it is `a && b` in `a && b && c`. @param {ts.Node} node */
function isPartOfSame(node) {
  const { parent } = node;
  return (
    ts.isBinaryExpression(node) &&
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === node.operatorToken.kind
  );
}

/** Whether it is asked for its truth, and is no comparison. @param {ts.Node} node */
export function isCondition(node) {
  const { parent } = node;
  if (ts.isParenthesizedExpression(node) || node.kind === K.TrueKeyword) return false;
  if (isTruth(node) || isPartOfSame(node)) return false;
  return (
    isLoopCondition(node) ||
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node) ||
    (ts.isBinaryExpression(parent) && /^(&&|\|\|)$/.test(parent.operatorToken.getText()))
  );
}

/** @param {ts.Node} node */
function isLoopCondition(node) {
  const { parent } = node;
  return (
    ((ts.isWhileStatement(parent) || ts.isDoStatement(parent)) && parent.expression === node) ||
    (ts.isForStatement(parent) && parent.condition === node)
  );
}

/**
 * Edits that leave out each element of a list with its comma.
 *
 * @param {ts.NodeArray<ts.Node>} elements
 * @returns {Edit[]}
 */
function removals(elements) {
  return elements.map((element, index) => {
    const next = elements[index + 1];
    const previous = elements[index - 1];
    if (next !== undefined) return { start: element.getStart(), end: next.getStart(), text: '' };
    if (previous !== undefined) return { start: previous.end, end: element.end, text: '' };
    return { start: element.getStart(), end: elements.end, text: '' };
  });
}
