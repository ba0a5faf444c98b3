export { conform } from './format/conform.js';
export * from './format/format.js';
export { type Misfit, misfitRules, misfitsOf } from './format/misfits.js';
export { toJsonSchema } from './format/schema.js';
export { meantBy } from './format/unknown-keys.js';
export { type ParsedToml, parseToml, type TomlViolation } from './parse-toml.js';
export { TomlDocument } from './positions/document.js';
export type { TomlOutline } from './positions/node.js';
export {
  isArrayOfTables,
  isTable,
  TomlDate,
  type TomlPath,
  type TomlTable,
  type TomlValue,
  tomlValueAt,
} from './positions/node.js';
export type { TomlComment } from './positions/scan.js';
export { writeContent, writeString } from './positions/string.js';
export { readToml, type TomlReading, tomlRules } from './read-toml.js';
