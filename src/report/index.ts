export type { Markup } from './markup.js';
export {
  type MeasuredExpression,
  type MeasuredSession,
  type MeasureReport,
  measureReport,
} from './measure-report.js';
export { attemptsToShow, type RunReport, runReport } from './run-report.js';
export { spaceTime } from './space-time.js';
