export { fromJson, toJson } from './attribute-json.js';
export type { Attributes } from './attribute-reader.js';
export { type ClientOptions, createClient, type MutatorClient } from './client.js';
export { ClientError, type ClientErrorCode } from './client-error.js';
export { fromAttributes, type MutatorReading, toAttributes } from './descriptor.js';
export { type Json, type JsonObject, jsonNumber, parseJson, writeJson } from './json.js';
export { type Listing, type ListingProblem, readListing, writeListing } from './listing.js';
export {
  type LoadedCatalog,
  type LoadOptions,
  loadCatalog,
  type SourceWarning,
} from './load-catalog.js';
export type {
  Actuator,
  ActuatorKind,
  ExecActuator,
  FileActuator,
  HttpActuator,
  HttpRequest,
  ModuleActuator,
} from './manifest/actuator.js';
export {
  type LoadedManifest,
  loadManifest,
  type Manifest,
  type ManifestMutator,
} from './manifest/manifest.js';
export { manifestRules } from './manifest/rules/index.js';
export { manifestSchema } from './manifest/schema.js';
export {
  type EnvironmentTemplate,
  fillEnvironment,
  fillJson,
  fillText,
  fillValue,
  type JsonTemplate,
  type Template,
  type ValueTemplate,
} from './manifest/template.js';
export * from './model.js';
export { type Mutation, type Refusal, readMutation, writeMutation } from './mutation.js';
export { idFor, keyFor } from './names.js';
export { type ParameterValues, resolveParams } from './params.js';
export { SourceError, type SourceErrorCode } from './source-error.js';
export { parseUuid } from './uuid.js';
export { parseValue } from './value-text.js';
