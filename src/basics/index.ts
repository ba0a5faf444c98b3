export * from './error.js';
export * from './numbers.js';
export * from './text.js';
