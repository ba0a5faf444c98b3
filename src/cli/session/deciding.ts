import type { Finding } from '../../diagnostics/index.js';
import { recordedOf } from '../../expression/index.js';
import { lintMeasurements, type Objective } from '../../objective/index.js';
import { joinVocabularies, type Vocabulary, withPolls } from '../../session/index.js';
import type { DecodedSource } from '../../source/index.js';
import type { Config } from '../config/config.js';

/* The lint findings that affect the interpretation of a verdict. */

const DECIDING =
  /^(?:recorded\/|expression\/(?:unit-mismatch|absent-label|cartesian-product|type-mismatch)$)/;

/** Returns only the findings that affect the interpretation of a verdict. */
export function decidingFindingsIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ rule }) => DECIDING.test(rule));
}

/** The settings for findings about recorded sessions, from perturb.toml or a run. */
type RecordedSettings = Pick<Config, 'expected'> & {
  readonly polls: readonly { readonly name: string }[];
};

/** Joins the vocabularies of recorded sessions for lint. Returns undefined without sessions. */
export function recordedVocabulary(
  vocabularies: readonly Vocabulary[],
  { expected, polls }: RecordedSettings,
) {
  const names = polls.map(({ name }) => name);
  return recordedOf(withPolls(joinVocabularies(vocabularies), names), expected);
}

/**
 * Returns the findings about an objective's measurements, by measurement name. Omits measurements
 * without findings.
 */
export function decidingFindingsByMeasurement(
  source: DecodedSource,
  { measurements }: Objective,
  vocabularies: readonly Vocabulary[],
  { levels, ...settings }: RecordedSettings & Pick<Config, 'levels'>,
): ReadonlyMap<string, readonly Finding[]> {
  const recorded = recordedVocabulary(vocabularies, settings);
  const all = lintMeasurements(source, { levels, ...(recorded && { recorded }) });
  const wanted = new Set(measurements.map(({ name }) => name));
  const found = new Map<string, readonly Finding[]>();
  for (const { name, findings } of all) {
    const own = decidingFindingsIn(findings);
    if (own.length > 0 && wanted.has(name)) found.set(name, own);
  }
  return found;
}
