/*
 * What mutators are, without what reads and reaches them: all that linting an
 * objective needs, so that its start pays for nothing else.
 */

export {
  type Catalog,
  type CatalogMutator,
  createCatalog,
  mutatorsNamed,
  probesOf,
  selectedByTags,
} from './model/catalog.js';
export { LAYERS, type Mutator, nameOf, OPERATIONS, STATEFULNESS } from './model/mutator.js';
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
} from './model/parameter.js';
export {
  type AttributeType,
  type AttributeValue,
  compare,
  compareCodePoints,
  type EventCoordinate,
  equals,
  format,
  type LogicalTime,
} from './values/attribute-value.js';
export { type Duration, type DurationProblem, parseDuration } from './values/duration.js';
export { convert, titleOf, type ValueType } from './values/value-type.js';
