export { renderMarkdown } from './markdown.js';
export { type ResultLook, resultLook } from './paint.js';
export { type NamedCell, renderFacts, renderTable, type TableLook } from './table.js';
