export { type DecodedSource, decodeSource, type InvalidBytes } from './decode.js';
export { EmbeddedSource, type Segment } from './embedded-source.js';
export {
  at,
  compareCodePoints,
  cover,
  indexLines,
  itemAt,
  type LineIndex,
  lastIndexAtMost,
  type Position,
  SourceFile,
  type Span,
} from './source-file.js';
