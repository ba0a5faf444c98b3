export type { Attributes } from './attribute-reader.js';
export {
  type Catalog,
  type CatalogMutator,
  createCatalog,
  mutatorsNamed,
  probesOf,
  selectedByTags,
} from './catalog.js';
export { LAYERS, MAX_ACTIVE, type Mutator, nameOf, OPERATIONS, STATEFULNESS } from './mutator.js';
export { idFor, keyFor } from './names.js';
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
  typedRange,
  type ValueProblem,
} from './parameter.js';
