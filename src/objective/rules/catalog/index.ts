import type { CatalogRule } from '../../rule.js';
import { mutatorExcluded } from './mutator-excluded.js';
import { nothingSelected } from './nothing-selected.js';
import { optionsNotPermitted } from './options-not-permitted.js';
import { optionsRequired } from './options-required.js';
import { rangeNotPermitted } from './range-not-permitted.js';
import { rangeOutsideHardRange } from './range-outside-hard-range.js';
import { rangeRequired } from './range-required.js';
import { rangeType } from './range-type.js';
import { unknownMutator } from './unknown-mutator.js';
import { unknownOption } from './unknown-option.js';
import { unknownParam } from './unknown-param.js';
import { unknownProbe } from './unknown-probe.js';
import { unknownTag } from './unknown-tag.js';

/** The rules that hold an objective against the mutators of a system. */
export const catalogRules: readonly CatalogRule[] = [
  unknownMutator,
  unknownProbe,
  unknownTag,
  nothingSelected,
  mutatorExcluded,
  unknownParam,
  rangeOutsideHardRange,
  rangeType,
  rangeNotPermitted,
  rangeRequired,
  optionsRequired,
  optionsNotPermitted,
  unknownOption,
];
