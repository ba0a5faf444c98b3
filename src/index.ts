/**
 * Perturb as a library: lint objective files, against mutators too, and check and
 * print trace expressions.
 * Nothing here reads files, prints or keeps state.
 */
export {
  arrange,
  type Counts,
  count,
  type Edit,
  type Finding,
  type Fix,
  type Level,
  type Place,
  type ProposedEdit,
  type Related,
  type ReportFn,
  type Rule,
  type RuleMeta,
  type Severity,
  type Violation,
} from './diagnostics/index.js';
export * from './expression/index.js';
export {
  type AttributeValue,
  type Catalog,
  type CatalogMutator,
  createCatalog,
  type HardRange,
  type Listing,
  type ListingProblem,
  type LoadedManifest,
  loadManifest,
  type Manifest,
  type ManifestMutator,
  type Mutator,
  manifestRules,
  type Parameter,
  readListing,
} from './mutators/index.js';
export {
  canonicalJson,
  type LintOptions,
  type Loaded,
  lint,
  loadObjective,
  type Measurement,
  type MeasurementCounts,
  type MutationConstraints,
  type MutatorConstraint,
  type Objective,
  type ParamConstraint,
  type RangeBound,
  rules,
  type StoppingConditions,
  type TraceExpression,
} from './objective/index.js';
export {
  type Report,
  type Reporter,
  type ReporterContext,
  type ReporterName,
  reporters,
} from './reporters/index.js';
export {
  type DecodedSource,
  decodeSource,
  type EmbeddedSource,
  type InvalidBytes,
  type LineIndex,
  type Position,
  SourceFile,
  type Span,
} from './source/index.js';
export { version } from './version.js';
