export { configFormat } from './format.js';
export { configRules } from './rules.js';
