export { type FormattedObjective, formatObjective, type LeftAlone } from './format-objective.js';
export { formatRule } from './format-rule.js';
