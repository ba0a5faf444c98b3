/*
 * Puts all mutants of a file into its code at once: where one may be, the code
 * asks which mutant is active. So nothing is compiled anew from mutant to mutant.
 */
import ts from 'typescript';
import {
  isBody,
  isChainEnd,
  isCondition,
  isEmptiable,
  isLink,
  isRemovable,
  mutationsOfExpression,
} from './operators.js';

/**
 * @typedef {object} Mutant
 * @property {number} id
 * @property {string} file
 * @property {number} line from 1
 * @property {string} code the line that it begins on
 * @property {string} operator
 * @property {string} original
 * @property {string} replacement
 */

/**
 * The code of a file with its mutants in it.
 *
 * `__active` is the id of the mutant to run, `__seen(ids)` hears which places
 * are reached, `__turn()` is called in each turn of a loop.
 *
 * @param {string} file
 * @param {string} text TypeScript
 * @param {number} firstId
 * @returns {{ code: string, mutants: Mutant[] }}
 */
export function instrument(file, text, firstId) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Mutant[]} */
  const mutants = [];

  /** @type {(node: ts.Node, operator: string, original: string, replacement: string) => number} */
  const add = (node, operator, original, replacement) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    const code = (text.split('\n')[line] ?? '').trim();
    const id = firstId + mutants.length;
    mutants.push({ id, file, line: line + 1, code, operator, original, replacement });
    return id;
  };

  /** @type {(node: ts.Node) => string} */
  const inside = (node) => {
    let out = '';
    let at = node.getStart();
    ts.forEachChild(node, (child) => {
      const start = child.getStart();
      out += text.slice(at, start) + render(child);
      at = child.end;
    });
    return out + text.slice(at, node.end);
  };

  /** @type {(node: ts.Node) => string} */
  const render = (node) => {
    if (isWithoutMutants(node)) return node.getText();
    if (ts.isStatement(node)) return statement(node);
    if (!ts.isExpression(node) || !mayBeWrapped(node)) return inside(node);
    const alternatives = mutationsOfExpression(node).map(({ operator, start, end, text: by }) => {
      const whole = node.getText();
      const offset = node.getStart();
      const mutated = whole.slice(0, start - offset) + by + whole.slice(end - offset);
      return { id: add(node, operator, whole, mutated), mutated };
    });
    const original = inside(node);
    if (alternatives.length === 0) return original;
    const seen = `__seen(${alternatives.map(({ id }) => id).join(',')})`;
    const choice = alternatives.map(({ id, mutated }) => `__active===${id}?(${mutated}):`).join('');
    return `(${seen},${choice}(${original}))`;
  };

  /** @type {(node: ts.Statement) => string} */
  const statement = (node) => {
    const isTurn = ts.isIterationStatement(node.parent, false);
    const isLeftOut = ts.isBlock(node) ? isEmptiable(node) : isRemovable(node);
    if (!isTurn && !isLeftOut) return inside(node);
    const turn = isTurn ? '__turn();' : '';
    if (!isLeftOut) return `{${turn}${inside(node)}}`;
    const id = add(node, 'statement', node.getText(), ts.isBlock(node) ? '{}' : '');
    return `{${turn}__seen(${id});if(__active!==${id}){${inside(node)}}}`;
  };

  let code = '';
  let at = 0;
  ts.forEachChild(source, (child) => {
    const start = child.getStart();
    code += text.slice(at, start) + render(child);
    at = child.end;
  });
  return { code: code + text.slice(at), mutants };
}

/** @param {ts.Node} node */
function isWithoutMutants(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isTypeElement(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) ||
    ts.isHeritageClause(node) ||
    (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
  );
}

/** Whether the expression may stand in parentheses, and be another one. @param {ts.Expression} node */
function mayBeWrapped(node) {
  const { parent } = node;
  if (ts.isPrivateIdentifier(node)) return false;
  if (ts.isIdentifier(node)) return isCondition(node) || isBody(node);
  if (/** @type {{ name?: ts.Node }} */ (parent).name === node) return false;
  if (ts.isTaggedTemplateExpression(parent)) return false;
  if (ts.isSpreadElement(node) || ts.isOmittedExpression(node)) return false;
  if (ts.isBinaryExpression(parent) && parent.left === node) {
    return !/^[^=!<>]*=$/.test(parent.operatorToken.getText());
  }
  if (ts.isForOfStatement(parent) && parent.initializer === node) return false;
  if (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) {
    return !/\+\+|--/.test(parent.getText()) || ts.isParenthesizedExpression(node);
  }
  if (ts.isDeleteExpression(parent)) return false;
  // A part of a chain is mutated with the whole, for parentheses would end its `?.`.
  return !isLink(node) || isChainEnd(node);
}
