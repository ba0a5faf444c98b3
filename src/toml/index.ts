export { TomlDocument } from './document.js';
export { type ParsedToml, parseToml, type TomlProblem } from './parse-toml.js';
export type { TomlComment } from './scan.js';
export {
  isArrayOfTables,
  isTable,
  TomlDate,
  type TomlPath,
  type TomlTable,
  type TomlValue,
} from './value.js';
