export { renderMarkdown } from './markdown.js';
export { resultLook } from './paint.js';
export { type NamedCell, renderFacts, renderTable, type TableStyle } from './table.js';
