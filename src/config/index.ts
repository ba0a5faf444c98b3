export { configFormat } from './format.js';
export { MAX_TOTAL_RATE, type PollSettings, parsePoll } from './polls.js';
export { type NamedReading, readingFor } from './readings.js';
export { configRules } from './rules.js';
export {
  findUnknownMutators,
  findUnmatchedGlobs,
  NO_SETTINGS,
  readSettings,
  type Server,
  type Settings,
  settingsOf,
  userConfigPath,
  withUserKeys,
} from './settings.js';
