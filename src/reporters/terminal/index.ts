export { renderMarkdown } from './markdown.js';
export { type ResultLook, resultLook } from './paint.js';
export { type Fact, renderFacts, renderTable, type TableLook } from './table.js';
