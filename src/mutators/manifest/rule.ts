import type { Rule } from '../../diagnostics/index.js';
import type { ManifestDraft } from './draft.js';

/** A rule about manifests: its docs and its check. */
export type ManifestRule = Rule<ManifestDraft>;
