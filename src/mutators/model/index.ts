export type { Attributes } from './attribute-reader.js';
export * from './mutator.js';
export * from './parameter.js';
