import {
  ACTUATOR_KINDS,
  type ActuatorDraft,
  type ActuatorKind,
  actuatorKindOf,
  type VerificationDraft,
} from '../../actuators/index.js';
import { findNearestWord } from '../../diagnostics/index.js';
import {
  type ConformingValues,
  enumOf,
  isTable,
  type Misfit,
  type TableFormat,
  type TomlDocument,
  type TomlPath,
  type TomlTable,
  type TomlValue,
  table,
  validate,
} from '../../toml/index.js';
import type { Attributes } from '../model/attribute-reader.js';
import { keyFor } from '../model/mutator.js';
import { readAttributes } from './attributes.js';
import { createManifestFormat, type paramFormat, type processFormat } from './format.js';

/** A parameter's key, and the valid entries in its table. */
export interface ParamDraft {
  readonly path: TomlPath;
  readonly keys: ConformingValues<typeof paramFormat>['keys'];
  readonly key: string;
}

/** The valid entries in a mutator's table. */
export interface MutatorDraft {
  readonly path: TomlPath;
  readonly keys: Omit<MutatorKeys, 'param' | 'actuator' | 'attributes' | 'verify'>;
  readonly attributes: Attributes;
  readonly params: readonly ParamDraft[];
  /** Parameter keys, by placeholder text. */
  readonly placeholders: ReadonlyMap<string, string>;
  readonly actuator?: ActuatorDraft;
  readonly verify?: VerificationDraft;
}

/** The valid keys of a process's table. */
export interface ProcessDraft {
  readonly path: TomlPath;
  readonly keys: ConformingValues<typeof processFormat>['keys'];
}

/** A manifest's parsable parts, the input to rules. */
export interface ManifestDraft {
  readonly document: TomlDocument;
  /** The mismatches with the format. */
  readonly misfits: readonly Misfit[];
  readonly mutators: readonly MutatorDraft[];
  readonly processes: readonly ProcessDraft[];
}

/** The format of an actuator with a missing or unknown kind. */
const unknownFormat = table({
  kind: {
    format: enumOf(ACTUATOR_KINDS),
    required: true,
    description: "The actuator's kind.",
    example: 'exec',
  },
});

type MutatorKeys = NonNullable<
  NonNullable<
    ConformingValues<
      ReturnType<typeof createManifestFormat<typeof unknownFormat.keys>>
    >['keys']['mutator']
  >[number]
>['keys'];

/**
 * Reads a document as a manifest. The format of a mutator's table depends on its actuator's kind. This function
 * therefore checks the document against each kind's format, and uses only the mutators of that kind from each result.
 */
export function draftManifest(document: TomlDocument): ManifestDraft {
  const { mutator: tables } = document.root;
  const actuators = Array.isArray(tables) ? tables.map(actuatorOf) : [];
  const kinds = actuators.map((actuator) =>
    ACTUATOR_KINDS.find((candidate) => candidate === actuator?.['kind']),
  );
  const mutators: MutatorDraft[] = [];
  const processes: ProcessDraft[] = [];
  const misfits: Misfit[] = [];
  for (const kind of new Set([...kinds, undefined])) {
    const format: TableFormat =
      kind === undefined ? unknownFormat : actuatorKindOf({ kind }).format;
    const result = validate(document, createManifestFormat(format as typeof unknownFormat));
    const isConcerned = (path: TomlPath) => {
      const index = Number(path[1]);
      // Processes are the same in every result.
      if (path[0] === 'process') return kind === undefined;
      return kinds[index] === kind && (kind !== undefined || canBeJudged(actuators[index], path));
    };
    misfits.push(...result.misfits.filter(({ path }) => isConcerned(path)));
    if (kind === undefined) {
      processes.push(
        ...(result.value.keys.process ?? []).filter((process) => process !== undefined),
      );
    }
    for (const mutator of result.value.keys.mutator ?? []) {
      if (mutator === undefined || !isConcerned(mutator.path)) continue;
      const { attributes: table } = mutator.keys;
      const { attributes, misfits: attributeMisfits } = readAttributes(document, table);
      misfits.push(...attributeMisfits);
      mutators.push({ ...draftOf(mutator, kind), attributes });
    }
  }
  mutators.sort((a, b) => Number(a.path[1]) - Number(b.path[1]));
  return { document, misfits, mutators, processes };
}

function actuatorOf(mutator: TomlValue): TomlTable | undefined {
  const actuator = isTable(mutator) ? mutator['actuator'] : undefined;
  return isTable(actuator) ? actuator : undefined;
}

/**
 * True if a misfit is certain. In an actuator of unknown kind, only a misfit at `kind` or at a misspelled `kind` is
 * certain.
 */
function canBeJudged(actuator: TomlTable | undefined, [, , section, key]: TomlPath): boolean {
  if (section !== 'actuator' || key === undefined || key === 'kind') return true;
  const hasKind = Object.hasOwn(actuator ?? {}, 'kind');
  return !hasKind && findNearestWord(String(key), ['kind']) !== undefined;
}

function draftOf(
  { path, keys }: { readonly path: TomlPath; readonly keys: MutatorKeys },
  kind: ActuatorKind | undefined,
): Omit<MutatorDraft, 'attributes'> {
  const { param, actuator, verify, attributes: _, ...details } = keys;
  const takenKeys = new Set<string>();
  const params = (param ?? []).flatMap((table) => {
    if (table === undefined) return [];
    const key = keyFor(table.keys.name ?? '', takenKeys);
    takenKeys.add(key);
    return [{ ...table, key }];
  });
  const hasKind = kind !== undefined && actuator !== undefined;
  return {
    path,
    keys: details,
    params,
    placeholders: placeholdersOf(params),
    ...(hasKind && { actuator: { kind, ...actuator } as ActuatorDraft }),
    ...(verify && { verify }),
  };
}

/**
 * Returns parameter keys by placeholder text, which is a parameter's name or key. Names take precedence over keys.
 * Among parameters with the same name, the first takes precedence.
 */
function placeholdersOf(params: readonly ParamDraft[]): Map<string, string> {
  const byKey = params.map(({ key }) => [key, key] as const);
  const byName = params.flatMap(({ keys: { name }, key }) =>
    name === undefined ? [] : [[name, key] as const],
  );
  return new Map([...byKey, ...byName.reverse()]);
}
