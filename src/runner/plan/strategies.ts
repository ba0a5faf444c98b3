import { boundary } from './boundary.js';
import { halton } from './halton.js';
import { mixed } from './mixed.js';
import { pairwise } from './pairwise.js';
import type { Strategy } from './space.js';
import { uniform } from './uniform.js';

/** Every strategy, the default one first. */
export const strategies = {
  mixed,
  uniform,
  boundary,
  pairwise,
  halton,
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof strategies;

export const STRATEGY_NAMES = Object.keys(strategies) as readonly StrategyName[];
