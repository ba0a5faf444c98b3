export {
  type Actuator,
  type Mutation,
  type ParameterValues,
  writeMutation,
} from '../actuators/index.js';
export {
  ACTIVITY_HEADER,
  type ClientOptions,
  createClient,
  HELD_SINCE_HEADER,
  HOLD_HEADER,
  IN_USE_HEADER,
  INSTANCE_HEADER,
  isApiKey,
  KEY_HEADER,
  type MutatorClient,
  RUN_HEADER,
  type ServerAnswer,
} from './client/client.js';
export { ClientError, type ClientErrorCode } from './client/client-error.js';
export { type LoadOptions, loadCatalog, SourceError } from './client/load-catalog.js';
export { ACTUATOR_SUMMARIES, manifestFormatFor, manifestSchema } from './manifest/format.js';
export {
  type LoadedManifest,
  loadManifest,
  type Manifest,
  type ManifestMutator,
  readManifest,
} from './manifest/manifest.js';
export { manifestRules } from './manifest/rules/index.js';
export * from './model/index.js';
export { fromAttributes, toAttributes } from './wire/descriptor.js';
export { type Listing, type ListingProblem, readListing, writeListing } from './wire/listing.js';
export { type Refusal, readMutation, resolveParams } from './wire/mutation.js';
export { denyForeign, EVERYWHERE, hostsOf, ownHosts } from './wire/own-hosts.js';
export { parseValue } from './wire/value-text.js';
