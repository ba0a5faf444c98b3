export * from './evaluation.js';
export * from './schema.js';
