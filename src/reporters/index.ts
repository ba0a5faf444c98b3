export type { Report, Reporter, ReporterContext } from './reporter.js';
export { type ReporterName, reporters } from './reporters.js';
export { visible } from './visible.js';
