import type { Finding, RuleMeta } from '../../diagnostics/index.js';
import type { ManifestDraft } from './draft.js';

/** A rule about manifests: its docs and its check. */
export interface ManifestRule {
  readonly meta: RuleMeta;
  /** Absent where the format of manifests finds what the rule reports. */
  readonly check?: (draft: ManifestDraft) => Iterable<Finding>;
}
