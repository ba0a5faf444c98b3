export {
  type Actuator,
  type Mutation,
  type ParameterValues,
  writeMutation,
} from '../actuators/index.js';
export * from './client/client.js';
export { ClientError, type ClientErrorCode, causeOf } from './client/client-error.js';
export { isApiKey, KEY_HEADER } from './client/key-header.js';
export { type LoadOptions, loadCatalog, SourceError } from './client/load-catalog.js';
export { ACTUATOR_SUMMARIES, createManifestSchema, manifestFormatFor } from './manifest/format.js';
export * from './manifest/manifest.js';
export { manifestRules } from './manifest/rules/index.js';
export * from './model/index.js';
export { fromAttributes, toAttributes } from './wire/descriptor.js';
export {
  END_CAUSES,
  type EndCause,
  type EndedMutation,
  MAX_ENDED_MUTATIONS,
  readEndedMutations,
  writeEndedMutations,
} from './wire/ended.js';
export {
  formatWarnings,
  type Listing,
  type ListingProblem,
  type ListingWarning,
  readListing,
  writeListing,
} from './wire/listing.js';
export { type Refusal, readMutation, resolveParams } from './wire/mutation.js';
export {
  createHostCheck,
  denyForeignRequest,
  foreignHost,
  isHostName,
  UNSPECIFIED_ADDRESSES,
} from './wire/own-hosts.js';
export { parseValue } from './wire/value-text.js';
