import { pushTo } from '../../values/index.js';
import type { Attributes } from './attribute-reader.js';
import type { Parameter } from './parameter.js';

export const LAYERS = ['implementational', 'operational', 'environmental'] as const;
export const OPERATIONS = [
  'delay',
  'duplicate',
  'drop_fraction',
  'drop_positional',
  'disable',
  'enable',
  'corrupt',
  'set_to_value',
  'substitute_next_value',
  'reorder',
  'stimulate',
] as const;
export const STATEFULNESS = ['permanent', 'intermittent', 'transient'] as const;

/** A component that can override part of the state of a system under test. */
export interface Mutator {
  /** Its `mutator_correlation_id`: unique within a server, used in paths. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The layer of the system that the mutator acts on. */
  readonly layer?: (typeof LAYERS)[number];
  readonly group?: string;
  /** Its operation. */
  readonly operation?: (typeof OPERATIONS)[number];
  /** The persistence of its mutations without a reset. */
  readonly statefulness?: (typeof STATEFULNESS)[number];
  readonly safety?: string;
  /** Its position in the system's source code; lines from 1. */
  readonly source?: { readonly file?: string; readonly line?: number };
  /** The place where the mutator acts, to distinguish mutators with the same name. */
  readonly probe?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The names and keys of unreadable parameters. */
  readonly unreadable?: readonly string[];
  /** All other attributes unchanged, including an organisation's own. */
  readonly attributes: Attributes;
}

/** Returns a mutator's name in objectives: its id if it has no name. */
export function mutatorName(mutator: Pick<Mutator, 'id' | 'name'>): string {
  return mutator.name ?? mutator.id;
}

/** The attribute for the time after which a server resets a mutator by itself, in nanoseconds. */
export const MAX_ACTIVE = 'mutator.perturb.max_active';

/** The attribute for the timeout of a mutator's injection or reset, in nanoseconds. */
export const ACTION_TIMEOUT = 'mutator.perturb.timeout';

/** The default timeout of a request to a server. A mutator may need longer. */
export const SERVER_TIMEOUT = { ms: 10_000, text: '10s' } as const;

/** Returns the milliseconds of an attribute that is a duration; undefined if the mutator does not have it. */
export function durationIn(
  { attributes }: Pick<Mutator, 'attributes'>,
  name: typeof MAX_ACTIVE | typeof ACTION_TIMEOUT,
): number | undefined {
  const value = attributes.get(name);
  return value?.type === 'nanoseconds' ? Number(value.value) / 1e6 : undefined;
}

/** The mutation that is or may be active at a mutator, as Perturb's own server reports it. */
export interface Activity {
  /** The mutation; absent if unknown. */
  readonly mutation?: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The time at which the server will reset the mutator by itself, in milliseconds since 1970. */
  readonly until?: number;
}

const ACTIVE = 'mutator.perturb.active_';

/** Adds the activity to a mutator's attributes. */
export function withActivity<M extends Mutator>(mutator: M, activity: Activity | undefined): M {
  if (activity === undefined) return mutator;
  const { mutation, since, until } = activity;
  const time = (ms: number) => ({ type: 'nanoseconds', value: BigInt(ms) * 1_000_000n }) as const;
  const attributes = new Map([...mutator.attributes, [`${ACTIVE}since`, time(since)]]);
  if (until !== undefined) attributes.set(`${ACTIVE}until`, time(until));
  if (mutation !== undefined) {
    attributes.set(`${ACTIVE}mutation`, { type: 'string', value: mutation });
  }
  return { ...mutator, attributes };
}

/** Returns a listed mutator without its activity, and the activity. */
export function activityOf(mutator: Mutator): [Mutator, Activity | undefined] {
  const attributes = new Map(mutator.attributes);
  const take = (member: keyof Activity) => {
    const value = attributes.get(`${ACTIVE}${member}`);
    attributes.delete(`${ACTIVE}${member}`);
    return value;
  };
  const [since, until, mutation] = [take('since'), take('until'), take('mutation')];
  if (since?.type !== 'nanoseconds') return [mutator, undefined];
  const ms = (value: bigint) => Number(value / 1_000_000n);
  return [
    { ...mutator, attributes },
    {
      since: ms(since.value),
      ...(until?.type === 'nanoseconds' && { until: ms(until.value) }),
      ...(mutation?.type === 'string' && { mutation: mutation.value }),
    },
  ];
}

/**
 * Matches keys that are safe to write anywhere: ASCII without dots, which is stricter than
 * necessary.
 */
const KEY = /^[\w-]+$/;

/**
 * Converts a text to ASCII. Drops accents, and replaces every run of characters other than letters
 * and digits by `separator`.
 */
function toAscii(text: string, separator: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/);
  return words.filter((word) => word !== '').join(separator);
}

/**
 * Returns the key for a parameter's name: the name itself if it consists of ASCII letters, digits,
 * `_` and `-`, otherwise a similar key (`Wind speed (m/s)` gives `Wind_speed_m_s`). A number is
 * added if that key is taken (`_2`, `_3`). A name without usable characters gives `param`.
 */
export function keyFor(name: string, takenKeys: ReadonlySet<string>): string {
  const base = KEY.test(name) ? name : toAscii(name, '_') || 'param';
  let key = base;
  for (let number = 2; takenKeys.has(key); number++) key = `${base}_${number}`;
  return key;
}

/**
 * Returns the id for a mutator's name: the name in lower case with a `-` for every run of
 * characters other than ASCII letters and digits (`Wind, east` gives `wind-east`), or the name
 * itself if nothing remains.
 */
export function idFor(name: string): string {
  return toAscii(name, '-').toLowerCase() || name;
}

/** A mutator with its source, as the user wrote it. */
export interface CatalogMutator extends Mutator {
  readonly origin: string;
}

/** The mutators that objectives are checked against, from any mix of sources. */
export interface Catalog {
  readonly mutators: readonly CatalogMutator[];
  /**
   * Mutators by the name that objectives use. Mutators with the same name are at different probes
   * or sources.
   */
  readonly byName: ReadonlyMap<string, readonly CatalogMutator[]>;
  /** All tags that any mutator has. */
  readonly tags: ReadonlySet<string>;
}

/** Creates a catalog of mutators, in their order. */
export function createCatalog(mutators: readonly CatalogMutator[]): Catalog {
  const byName = new Map<string, CatalogMutator[]>();
  for (const mutator of mutators) {
    pushTo(byName, mutatorName(mutator), mutator);
  }
  return { mutators, byName, tags: new Set(mutators.flatMap(({ tags }) => tags)) };
}

/** Returns the mutators with a name, limited to a probe if given. */
export function findMutators(
  catalog: Catalog,
  name: string,
  probe?: string,
): readonly CatalogMutator[] {
  const candidates = catalog.byName.get(name) ?? [];
  return probe === undefined ? candidates : candidates.filter((mutator) => mutator.probe === probe);
}

/** Returns the words that name a mutator: NAME, and NAME@PROBE if it has a probe. */
export function namesFor(mutator: Pick<Mutator, 'id' | 'name' | 'probe'>): readonly string[] {
  const name = mutatorName(mutator);
  return mutator.probe === undefined ? [name] : [name, `${name}@${mutator.probe}`];
}

/** Returns the mutators that `NAME[@PROBE]` names. A name may itself contain an `@`. */
export function selectMutators<M extends Mutator>(
  mutators: readonly M[],
  word: string,
): readonly M[] {
  return mutators.filter((mutator) => namesFor(mutator).includes(word));
}

/** Returns the probes of mutators, each once, in their order. */
export function probesOf(mutators: readonly Mutator[]): readonly string[] {
  return [...new Set(mutators.flatMap(({ probe }) => (probe === undefined ? [] : [probe])))];
}

/** Returns the mutators that have at least one of the tags, which `mutator_tags` selects. */
export function selectByTags<M extends Mutator>(
  mutators: readonly M[],
  tags: readonly string[],
): readonly M[] {
  return mutators.filter((mutator) => mutator.tags.some((tag) => tags.includes(tag)));
}
