export { type Duration, type DurationProblem, parseDuration } from './duration.js';
