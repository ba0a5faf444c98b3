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

/** All rules with findings in manifests, except those about TOML itself. */
export const manifestRules: readonly RuleMeta[] = manifestChecks;
