import { misfitRules } from '../../toml/index.js';
import { durationViolation } from '../../values/index.js';
import type { ObjectiveRule } from '../draft.js';
import { MEASUREMENT, objectiveExample, STOP } from './example.js';

const stopAfter = (line: string): string =>
  objectiveExample(`[stopping_conditions]\n${line}`, MEASUREMENT);

/** The rules for the whole file, including parts that do not fit the format. */
export const formatRules: readonly ObjectiveRule[] = misfitRules('objective', {
  'missing-key': {
    summary: 'a required key is absent, or there is no `measurement` at all',
    why: 'Without the key, the objective cannot be identified, run or evaluated.',
    action: 'Add the key to the reported table.',
    examples: {
      fails: objectiveExample('[[measurement]]\nname = "Stays in the air"', STOP),
      passes: objectiveExample(MEASUREMENT, STOP),
    },
  },
  'unknown-key': {
    summary: 'an unknown key',
    why: 'An unknown key has no effect, and is usually a misspelling.',
    action: 'Correct the key, or remove it.',
    examples: { fails: stopAfter('attemps = 10'), passes: stopAfter('attempts = 10') },
  },
  'wrong-type': {
    summary: 'a value of the wrong type for its key',
    why: 'Perturb cannot use the value, and guessing the intended value could change the experiment.',
    action: 'Write a value of the expected type.',
    examples: { fails: stopAfter('attempts = "10"'), passes: stopAfter('attempts = 10') },
  },
  'invalid-value': {
    summary: 'an empty `name`, `check`, `probe`, tag or `mutator_tags`, or a count below 1',
    why: 'An empty string identifies nothing, and a count of 0 would stop the run before the first attempt.',
    action:
      'Write a nonempty string, or a count of at least 1. If an optional key has no value, remove the key.',
    examples: { fails: stopAfter('attempts = 0'), passes: stopAfter('attempts = 1') },
  },
});

export const invalidDuration: ObjectiveRule = {
  id: 'objective/invalid-duration',
  severity: 'error',
  fixable: 'safe',
  summary: '`time` is not a duration',
  why: 'The objective would stop at the wrong time, or never.',
  action:
    'Write numbers with the units `d`, `h`, `min`, `s` or `ms`, from large to small, as in `1h 30min`.',
  examples: { fails: stopAfter('time = "1h 30m"'), passes: stopAfter('time = "1h 30min"') },
  check({ document, objective: { stopping_conditions } }, report) {
    const embedTime = () => document.embed(['stopping_conditions', 'time']);
    const violation = durationViolation(stopping_conditions?.keys.time, embedTime);
    if (violation !== undefined) report(violation);
  },
};
