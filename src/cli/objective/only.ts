import { InvalidArgumentError } from 'commander';
import { quote } from '../../diagnostics/index.js';
import {
  choicesFor,
  isSelector,
  type Objective,
  selectMeasurements,
} from '../../objective/index.js';
import { usageFailure } from '../runtime/command.js';
import { repeatedOption } from '../runtime/declare.js';

/** `--only` for commands that measure. */
export const onlyOption = repeatedOption(
  '--only <selector>',
  'evaluate only measurements with this metadata, as in @requirement=REQ-7; may be repeated',
  'all measurements',
  (word) => {
    if (isSelector(word)) return word;
    throw new InvalidArgumentError('Expected @WORD=VALUE, as in @requirement=REQ-7.');
  },
);

/**
 * Returns the objective with only the measurements that `--only` selects; all measurements without
 * `--only`.
 *
 * @throws CommandFailure (usage) if a selector matches no measurement, because an empty result
 *   would look like success
 */
export function onlyMeasurements(objective: Objective, selectors: readonly string[]): Objective {
  const { selected, idle } = selectMeasurements(objective, selectors);
  const [first] = idle;
  if (first === undefined) return selected;
  const { word, values } = choicesFor(objective, first);
  throw usageFailure(
    `no measurement of ${quote(objective.name)} has ${first}`,
    values.length === 0
      ? `Write a comment above [[measurement]]: # @${word} = "..."`
      : `Its values of @${word} are ${values.map((one) => quote(one)).join(', ')}.`,
  );
}
