export { measureReport } from './measure-report.js';
export { runReport } from './run-report.js';
