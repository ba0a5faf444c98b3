export { type MutationSet, type Space, strategies, type TriedSet } from '../../src/runner/index.js';
