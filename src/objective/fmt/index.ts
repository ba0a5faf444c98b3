export {
  type FormattedObjective,
  formatObjective,
  formatRule,
  type UnformattedExpression,
} from './format-objective.js';
