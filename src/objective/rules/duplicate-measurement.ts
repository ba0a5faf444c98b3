import type { ObjectiveRule } from '../rule.js';
import { findDuplicates } from './duplicates.js';
import { example, MEASUREMENT, STOP } from './example.js';

const OTHER = MEASUREMENT.replace('CRASH', 'FIRE');

export const duplicateMeasurement: ObjectiveRule = {
  meta: {
    id: 'objective/duplicate-measurement',
    severity: 'error',
    summary: 'two measurements with one name',
    why: 'Results are told apart by the name of the measurement.',
    action: 'Give each measurement a name of its own.',
    examples: {
      fails: example(`${MEASUREMENT}\n${OTHER}`, STOP),
      passes: example(`${MEASUREMENT}\n${OTHER.replace('Stays in the air', 'No fire')}`, STOP),
    },
  },
  check(draft, report) {
    findDuplicates(draft, draft.measurements, 'measurement', report);
  },
};
