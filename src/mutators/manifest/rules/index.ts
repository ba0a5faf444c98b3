import type { RuleMeta } from '../../../diagnostics/index.js';
import { missingKey, unknownKey, unknownPlaceholder, wrongType } from './keys.js';
import type { ManifestRule } from './rule.js';
import { duplicateId, invalidRange, invalidValue } from './values.js';

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
