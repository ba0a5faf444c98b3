export { renderMarkdown } from './markdown.js';
export { resultLook } from './paint.js';
export { type NamedCell, renderFacts, renderTable, type TableLook } from './table.js';
