export { configFormat } from './format.js';
export { MAX_TOTAL_RATE, type PollSettings, pollOf } from './polls.js';
export { type NamedReading, readingFor } from './readings.js';
export { configRules } from './rules.js';
export {
  NO_SETTINGS,
  ownConfigPath,
  readSettings,
  type Server,
  type Settings,
  settingsOf,
  unknownMutators,
  unmatchedGlobs,
  withOwnKeys,
} from './settings.js';
