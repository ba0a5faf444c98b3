export { fromJson, toJson } from './attribute-json.js';
export {
  type AttributeType,
  type AttributeValue,
  compare,
  convert,
  type EventCoordinate,
  equals,
  fits,
  format,
  type LogicalTime,
  parseUuid,
  titleOf,
  typeNamed,
  type ValueType,
  wireName,
} from './attribute-value.js';
export {
  DURATION_PATTERN,
  type Duration,
  type DurationProblem,
  durationHint,
  parseDuration,
} from './duration.js';
export {
  defined,
  describeJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonNumber,
  jsonObject,
  parseJson,
  writeJson,
} from './json.js';
