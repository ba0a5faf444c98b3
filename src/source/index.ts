export { compareCodePoints } from './code-points.js';
export { type DecodedSource, decodeSource, type InvalidBytes } from './decode.js';
export { EmbeddedSource, type Segment } from './embedded-source.js';
export { indexLines, type LineIndex, type Position } from './line-index.js';
export { SourceFile } from './source-file.js';
export { cover, type Span } from './span.js';
export { at } from './typed-array.js';
