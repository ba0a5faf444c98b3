import type { ExpressionRule } from '../rule.js';
import { syntax } from './syntax.js';

/** Every rule about an expression, in the order of the documentation. */
export const expressionRules: readonly ExpressionRule[] = [syntax];
