export { type DecodedSource, decodeSource, type InvalidBytes } from './decode.js';
export { EmbeddedSource, type Segment } from './embedded-source.js';
export {
  compareCodePoints,
  cover,
  indexLines,
  type LineIndex,
  type Position,
  SourceFile,
  type Span,
} from './source-file.js';
export { at } from './typed-array.js';
