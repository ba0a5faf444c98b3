export { bindingsTable, drawEvidence, evaluationText } from './evaluation-text.js';
export { explanationText } from './explanation-text.js';
export { closingText, findingsText, measureText, sessionText } from './measure-text.js';
export * from './result-json.js';
export { measureTests, runTests } from './result-junit.js';
export { measureMarkdown, runMarkdown } from './result-markdown.js';
export { resultSchema } from './result-records.js';
export { attemptText, summaryText } from './run-text.js';
