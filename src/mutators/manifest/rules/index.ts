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

/** The rules for manifests, with their checks. */
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

/** Every rule that linting a manifest may report, except those of TOML itself. */
export const manifestRules: readonly RuleMeta[] = manifestChecks;
