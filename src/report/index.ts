export { measureReport } from './measure-report.js';
export { attemptsToShow, runReport } from './run-report.js';
