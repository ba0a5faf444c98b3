import type { OrderChoice } from '../../src/evaluation/index.js';

/** Causality alone: nothing is undecided for want of order. */
export const CAUSAL: OrderChoice = { by: 'causal', isAuto: false, skew: 0n };
