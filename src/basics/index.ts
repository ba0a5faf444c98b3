export * from './numbers.js';
export * from './text.js';
