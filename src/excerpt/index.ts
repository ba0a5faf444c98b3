export { causalPath, type Hop, textAt } from './causal-path.js';
export { type EventFact, eventFacts, timeText } from './event-facts.js';
export { type Excerpt, excerptOf, type ShownEvent } from './excerpt.js';
