export { configFormat } from './format.js';
export { MOST_POLLS_A_SECOND, type PollSettings, pollOf } from './polls.js';
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
  unmatched,
  withOwnKeys,
} from './settings.js';
