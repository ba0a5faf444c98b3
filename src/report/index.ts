export { renderMeasurementReport } from './measure-report.js';
export { renderRunReport } from './run-report.js';
