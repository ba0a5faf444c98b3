export * from './evaluation.js';
export { parseOneOf, parseRecord, stringifyRecord } from './parse-record.js';
export * from './schema.js';
