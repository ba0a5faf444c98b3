export * from './attribute-json.js';
export * from './attribute-value.js';
export * from './duration.js';
export * from './json.js';
