import { configRules } from '../../config/index.js';
import type { RuleMeta } from '../../diagnostics/index.js';
import { manifestRules } from '../../mutators/index.js';
import { rules } from '../../objective/index.js';

/** Every rule there is, those of a group one after another. */
export const allRules: readonly RuleMeta[] = [...rules, ...manifestRules, ...configRules];
