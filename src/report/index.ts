export { type MeasuredSession, type MeasureReport, measureReport } from './measure-report.js';
export { attemptsToShow, type RunReport, runReport } from './run-report.js';
