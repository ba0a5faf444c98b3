export {
  type AttemptDocument,
  type AttemptMeasurement,
  type AttemptPart,
  attemptDocument,
  whyTexts,
} from './attempt-part.js';
export * from './axis.js';
export * from './borders.js';
export type { Chart, ChartAxis, ChartPoint } from './chart.js';
export * from './comparison-document.js';
export type { ContrastPart } from './contrast-part.js';
export * from './divergence-part.js';
export * from './evaluation-part.js';
export * from './evidence-text.js';
export * from './explanation.js';
export { type Headline, headlineOf } from './headline.js';
export type { HeatCell, HeatMap } from './heat-map.js';
export * from './measure-document.js';
export { measurementHeadlineOf } from './measure-headline.js';
export * from './measured.js';
export * from './metadata.js';
export * from './picture.js';
export * from './rates.js';
export * from './regions.js';
export * from './run-document.js';
export * from './run-facts.js';
export * from './session-contrast.js';
export * from './session-differences.js';
export * from './test-result.js';
export * from './unused.js';
export * from './vacuity.js';
