import type { RuleMeta } from '../../../diagnostics/index.js';
import type { ManifestRule } from '../rule.js';
import { duplicateId } from './duplicate-id.js';
import { invalidRange } from './invalid-range.js';
import { invalidValue } from './invalid-value.js';
import { missingKey } from './missing-key.js';
import { unknownKey } from './unknown-key.js';
import { unknownPlaceholder } from './unknown-placeholder.js';
import { wrongType } from './wrong-type.js';

/** The rules over manifests, with their checks. */
export const rules: readonly ManifestRule[] = [
  missingKey,
  unknownKey,
  wrongType,
  invalidValue,
  duplicateId,
  invalidRange,
  unknownPlaceholder,
];

/** Every rule that linting a manifest may report, but for those of TOML itself. */
export const manifestRules: readonly RuleMeta[] = rules.map(({ meta }) => meta);
