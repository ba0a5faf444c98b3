export * from './fisher.js';
export * from './holm.js';
export * from './mann-whitney.js';
export * from './rate-interval.js';
