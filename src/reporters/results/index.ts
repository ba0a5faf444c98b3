export { runComparisonToJson } from './comparison-json.js';
export { runComparisonMarkdown } from './comparison-markdown.js';
export { runComparisonText } from './comparison-text.js';
export { bindingsTable, drawEvidence, evaluationText } from './evaluation-text.js';
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
export { measurementTests, runTests } from './result-junit.js';
export { renderMeasurementMarkdown, renderRunMarkdown } from './result-markdown.js';
export { resultSchema } from './result-records.js';
export { attemptText, summaryText } from './run-text.js';
