export { fromJson, toJson } from './attribute-json.js';
export {
  type AttributeType,
  type AttributeValue,
  compare,
  type EventCoordinate,
  equals,
  format,
  type LogicalTime,
} from './attribute-value.js';
export { durationHint } from './clock-time.js';
export { defined } from './defined.js';
export {
  DURATION_PATTERN,
  type Duration,
  type DurationProblem,
  parseDuration,
} from './duration.js';
export {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonNumber,
  parseJson,
  writeJson,
} from './json.js';
export { parseUuid } from './uuid.js';
export { convert, titleOf, type ValueType } from './value-type.js';
