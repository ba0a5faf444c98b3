export {
  type Actuator,
  type ActuatorKind,
  type Mutation,
  type ParameterValues,
  writeMutation,
} from '../actuators/index.js';
export { type ClientOptions, createClient, type MutatorClient } from './client/client.js';
export { ClientError, type ClientErrorCode } from './client/client-error.js';
export {
  type LoadedCatalog,
  type LoadOptions,
  loadCatalog,
  type SourceWarning,
} from './client/load-catalog.js';
export { SourceError, type SourceErrorCode } from './client/source-error.js';
export { ACTUATOR_SUMMARIES, manifestFormatFor } from './manifest/editor-format.js';
export {
  type LoadedManifest,
  loadManifest,
  type Manifest,
  type ManifestMutator,
  readManifest,
} from './manifest/manifest.js';
export { manifestRules } from './manifest/rules/index.js';
export { manifestSchema } from './manifest/schema.js';
export * from './model/index.js';
export { isApiKey, KEY_HEADER } from './wire/api-key.js';
export { fromAttributes, type MutatorReading, toAttributes } from './wire/descriptor.js';
export { type Listing, type ListingProblem, readListing, writeListing } from './wire/listing.js';
export { type Refusal, readMutation } from './wire/mutation.js';
export { resolveParams } from './wire/params.js';
export { parseValue } from './wire/value-text.js';
