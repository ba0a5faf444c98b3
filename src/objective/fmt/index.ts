export {
  type FormattedObjective,
  formatObjective,
  formatRule,
  type LeftAlone,
} from './format-objective.js';
