import {
  type Actuator,
  type ActuatorDraft,
  actuatorKindOf,
  type EffectVerification,
  readVerification,
} from '../../actuators/index.js';
import {
  arrange,
  count,
  type Finding,
  runRules,
  toFinding,
  type Violation,
  withoutHarmfulFixes,
} from '../../diagnostics/index.js';
import { type DecodedSource, SourceFile } from '../../source/index.js';
import {
  isTable,
  readToml,
  requireValue,
  type TomlDocument,
  type TomlReading,
} from '../../toml/index.js';
import { defined, toMs } from '../../values/index.js';
import type { Attributes } from '../model/attribute-reader.js';
import { ACTION_TIMEOUT, idFor, MAX_ACTIVE, type Mutator } from '../model/mutator.js';
import { draftManifest, type MutatorDraft, type ProcessDraft } from './draft.js';
import { manifestFormatFor } from './format.js';
import { toParameter } from './parameters.js';
import { manifestChecks } from './rules/index.js';
import { unknownManifestKey } from './rules/keys.js';

/** Keys that occur in objectives but not in manifests. */
const OBJECTIVE_KEYS = new Set(['measurement', 'mutation_constraints', 'stopping_conditions']);

/** Reports an objective in place of a manifest as a single mistake, instead of reporting each key. */
function findObjective(document: TomlDocument): Violation | undefined {
  const key = Object.keys(document.root).find((name) => OBJECTIVE_KEYS.has(name));
  const { mutator } = document.root;
  const hasActuator =
    Array.isArray(mutator) &&
    mutator.some((table) => isTable(table) && Object.hasOwn(table, 'actuator'));
  if (key === undefined || hasActuator) return undefined;
  return {
    message: 'expected a mutator manifest, found an objective',
    help: 'pass a file with [[mutator]] tables and their actuators',
    span: document.keySpan([key]),
  };
}

/** The mutators and processes for a server. */
export interface Manifest {
  /** The mutators, in file order. Their ids are unique. */
  readonly mutators: readonly ManifestMutator[];
  /** The processes that the mutators need, in file order. */
  readonly processes: readonly ManifestProcess[];
}

export interface ManifestProcess {
  readonly name: string;
  /** The argument vector. Contains at least the program. */
  readonly command: readonly string[];
  /** The HOST:PORT address at which a ready process listens. */
  readonly ready?: string;
}

export interface ManifestMutator extends Mutator {
  readonly actuator: Actuator;
  readonly verify?: EffectVerification;
  /** Maximum duration of a mutation, in milliseconds. The server then resets the mutation automatically. */
  readonly maxActiveMs?: number;
}

/** A file's findings, and its manifest unless there is an error. */
export interface LoadedManifest {
  readonly findings: readonly Finding[];
  readonly manifest?: Manifest;
}

/** Checks a manifest file. Returns its findings, and its typed model unless there is an error. */
export function loadManifest(decoded: DecodedSource): LoadedManifest {
  return readManifest(readToml(decoded, manifestFormatFor(undefined)));
}

/** Checks a parsed manifest. Returns its findings, and its typed model unless there is an error. */
export function readManifest(reading: TomlReading): LoadedManifest {
  const result = readOnce(reading);
  if (reading.document === undefined) return result;
  const { text, path } = reading.document.file;
  const findings = withoutHarmfulFixes(
    result.findings,
    text,
    () => true,
    (fixedText) => {
      const source = new SourceFile(path, fixedText);
      return readOnce(readToml({ source, invalid: [] }, manifestFormatFor(undefined))).findings;
    },
  );
  return { ...result, findings };
}

/** Returns a manifest's findings and model. Does not check that the fixes are harmless. */
function readOnce({ document, findings: tomlFindings }: TomlReading): LoadedManifest {
  if (document === undefined) return { findings: arrange(tomlFindings) };
  const findings = [...tomlFindings];
  const mistake = findObjective(document);
  if (mistake !== undefined) {
    findings.push(toFinding(unknownManifestKey, mistake, document.file));
    return { findings: arrange(findings) };
  }
  const draft = draftManifest(document);
  runRules(manifestChecks, draft, (rule, violation) => {
    findings.push(toFinding(rule, violation, document.file));
  });
  if (count(findings).errors > 0) return { findings: arrange(findings) };
  const mutators = draft.mutators.map((mutator) => toMutator(document, mutator));
  return {
    findings: arrange(findings),
    manifest: { mutators, processes: draft.processes.map(toProcess) },
  };
}

function toProcess({ keys: { name, command, ready } }: ProcessDraft): ManifestProcess {
  const words = requireValue(command).filter((word) => word !== undefined);
  return { name: requireValue(name), command: words, ...defined({ ready }) };
}

/** Returns the attributes for a mutation's maximum duration and for the actuator's timeout. */
function attributesOf(maxActiveMs: number | undefined, actuator: Actuator): Attributes {
  const timeoutMs = 'timeoutMs' in actuator ? actuator.timeoutMs : undefined;
  const durations = [
    [MAX_ACTIVE, maxActiveMs],
    [ACTION_TIMEOUT, timeoutMs],
  ] as const;
  return new Map(
    durations.flatMap(([name, ms]) =>
      ms === undefined
        ? []
        : [[name, { type: 'nanoseconds', value: BigInt(Math.round(ms * 1e6)) }]],
    ),
  );
}

function toMutator(document: TomlDocument, mutator: MutatorDraft): ManifestMutator {
  const { keys, params, placeholders, attributes, verify } = mutator;
  const draft: ActuatorDraft = requireValue(mutator.actuator);
  const actuator = actuatorKindOf(draft).read(draft, placeholders);
  const { id, tags, max_active: maxActive, ...details } = keys;
  const name = requireValue(keys.name);
  return {
    id: id ?? idFor(name),
    ...defined({ ...details, maxActiveMs: toMs(maxActive) }),
    tags: [...new Set(tags?.map(requireValue))],
    parameters: params.map((param) => requireValue(toParameter(document, param))),
    attributes: new Map([...attributesOf(toMs(maxActive), actuator), ...attributes]),
    actuator,
    ...(verify && { verify: readVerification(verify, placeholders) }),
  };
}
