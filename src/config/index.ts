export { configFormat } from './format.js';
export { configRules } from './rules.js';
export {
  NO_SETTINGS,
  ownConfigPath,
  readSettings,
  type Server,
  type Settings,
  settingsOf,
  unmatched,
  withOwnKeys,
} from './settings.js';
