export { configFormat } from './format.js';
export { configRules } from './rules.js';
export {
  NO_SETTINGS,
  readSettings,
  type Server,
  type Settings,
  settingsOf,
  unmatched,
} from './settings.js';
