export * from './format/format.js';
export { type Misfit, misfitCheck, misfitRules, wrongTypeMisfit } from './format/misfits.js';
export { toJsonSchema } from './format/schema.js';
export { intendedKey } from './format/unknown-keys.js';
export { validate } from './format/validate.js';
export { parseToml, type TomlViolation } from './parse-toml.js';
export { TomlDocument } from './positions/document.js';
export {
  isTable,
  type TomlOutline,
  type TomlPath,
  type TomlTable,
  type TomlValue,
  tomlValueAt,
} from './positions/node.js';
export { scan } from './positions/scan.js';
export { delimiterAt, writeContent, writeString } from './positions/string.js';
export { readToml, type TomlReading, tomlRules } from './read-toml.js';
