export * from './address.js';
export * from './error.js';
export * from './markdown.js';
export * from './numbers.js';
export * from './own-probe.js';
export * from './text.js';
