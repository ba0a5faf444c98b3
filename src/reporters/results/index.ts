export { runComparisonToJson } from './comparison-json.js';
export { toComparisonMarkdown } from './comparison-markdown.js';
export { toComparisonText } from './comparison-text.js';
export { bindingsTable, drawEvidence, formatEvaluation } from './evaluation-text.js';
export { contrastToJson } from './explanation-json.js';
export { contrastMarkdown } from './explanation-markdown.js';
export { contrastText } from './explanation-text.js';
export {
  closingText,
  findingsText,
  headlineText,
  measureText,
  sessionText,
} from './measure-text.js';
export * from './result-json.js';
export { testsOfMeasurements, testsOfRun } from './result-junit.js';
export { renderMeasurementMarkdown, renderRunMarkdown } from './result-markdown.js';
export { resultSchema } from './result-records.js';
export { attemptText, summaryText } from './run-text.js';
