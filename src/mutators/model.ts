/*
 * What mutators are, without what reads and reaches them: all that linting an
 * objective needs, so that its start pays for nothing else.
 */
export {
  type AttributeType,
  type AttributeValue,
  compare,
  compareCodePoints,
  type EventCoordinate,
  equals,
  format,
  type LogicalTime,
} from './attribute-value.js';
export {
  type Catalog,
  type CatalogMutator,
  createCatalog,
  mutatorsNamed,
  probesOf,
  selectedByTags,
} from './catalog.js';
export { type Duration, type DurationProblem, parseDuration } from './duration.js';
export { LAYERS, type Mutator, nameOf, OPERATIONS, STATEFULNESS } from './mutator.js';
export {
  accept,
  contains,
  type Distribution,
  findParameter,
  formatRange,
  type HardRange,
  type Option,
  type Parameter,
  type ParameterType,
  show,
  type ValueProblem,
} from './parameter.js';
export { convert, titleOf, type ValueType } from './value-type.js';
