export { type Element, element, toXml } from './ci/xml.js';
export { jsonDocument } from './json.js';
export type { Report, Reporter, ReporterContext } from './reporter.js';
export { type ReporterName, reporters } from './reporters.js';
export { toJson } from './to-json.js';
export { visible } from './visible.js';
