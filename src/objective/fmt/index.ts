export { type FormattedObjective, formatObjective, type LeftAlone } from './format-objective.js';
