import {
  arrange,
  type Diagnostic,
  type Finding,
  locate,
  type RuleMeta,
} from '../../diagnostics/index.js';
import type { DecodedSource } from '../../source/index.js';
import { readToml, type TomlDocument } from '../../toml/index.js';
import type { Mutator } from '../model/mutator.js';
import { idFor } from '../model/names.js';
import { defined } from '../values/defined.js';
import type { Actuator } from './actuators/actuator.js';
import { toActuator, toMs } from './actuators/to-actuator.js';
import { draftManifest, type MutatorDraft } from './draft.js';
import { mistakenObjective } from './mistaken-objective.js';
import { required } from './required.js';
import { rules } from './rules/index.js';
import { invalidValue } from './rules/invalid-value.js';
import { missingKey } from './rules/missing-key.js';
import { unknownKey } from './rules/unknown-key.js';
import { wrongType } from './rules/wrong-type.js';
import { toParameter } from './to-parameter.js';

/** The mutators that a server serves. */
export interface Manifest {
  /** In the order of the file; their ids are distinct. */
  readonly mutators: readonly ManifestMutator[];
}

export interface ManifestMutator extends Mutator {
  readonly actuator: Actuator;
  /** After this many milliseconds a mutation is reset. */
  readonly maxActiveMs?: number;
}

/** The findings of a file, and its manifest when there are none. */
export interface LoadedManifest {
  readonly diagnostics: readonly Diagnostic[];
  readonly manifest?: Manifest;
}

const byKind = {
  'missing-key': missingKey,
  'unknown-key': unknownKey,
  'wrong-type': wrongType,
  'invalid-value': invalidValue,
} as const;

/** Checks a manifest file and gives its typed model, unless there is a finding. */
export function loadManifest(decoded: DecodedSource): LoadedManifest {
  const diagnostics: Diagnostic[] = [];
  const report = (rule: RuleMeta, finding: Finding): void =>
    void diagnostics.push(locate({ rule, ...finding }, decoded.source));
  const { document, problems } = readToml(decoded);
  for (const problem of problems) report(problem.rule, problem);
  if (document === undefined) return { diagnostics: arrange(diagnostics) };

  const mistaken = mistakenObjective(document);
  if (mistaken !== undefined) {
    report(unknownKey.meta, mistaken);
    return { diagnostics: arrange(diagnostics) };
  }
  const drafted = draftManifest(document);
  for (const problem of drafted.problems) report(byKind[problem.kind].meta, problem);
  for (const { meta, check } of rules) {
    for (const finding of check?.(drafted.draft) ?? []) report(meta, finding);
  }
  if (diagnostics.length > 0) return { diagnostics: arrange(diagnostics) };
  const mutators = drafted.draft.mutators.map((mutator) => toMutator(document, mutator));
  return { diagnostics, manifest: { mutators } };
}

function toMutator(document: TomlDocument, mutator: MutatorDraft): ManifestMutator {
  const { keys, params, actuator } = mutator;
  const { id, tags, max_active: maxActive, ...rest } = keys;
  const name = required(keys.name);
  return {
    id: id ?? idFor(name),
    ...defined({ ...rest, maxActiveMs: toMs(maxActive) }),
    tags: [...new Set(tags?.map(required))],
    parameters: params.map((param) => required(toParameter(document, param))),
    attributes: new Map(),
    actuator: toActuator(required(actuator), params),
  };
}
