import type { RuleMeta } from '../../../diagnostics/index.js';
import {
  missingManifestKey,
  unknownManifestKey,
  unknownPlaceholder,
  unusedParam,
  wrongManifestType,
} from './keys.js';
import type { ManifestRule } from './rule.js';
import { duplicateId, invalidHardRange, invalidManifestValue } from './values.js';

/** The rules about manifests, with their checks. */
export const manifestChecks: readonly ManifestRule[] = [
  missingManifestKey,
  unknownManifestKey,
  wrongManifestType,
  invalidManifestValue,
  duplicateId,
  invalidHardRange,
  unknownPlaceholder,
  unusedParam,
];

/** All rules that report findings in manifests, except the TOML rules. */
export const manifestRules: readonly RuleMeta[] = manifestChecks;
