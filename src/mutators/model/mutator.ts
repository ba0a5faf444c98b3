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
  /** The `mutator_correlation_id`, unique within a server and part of URL paths. */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The layer of the system on which the mutator acts. */
  readonly layer?: (typeof LAYERS)[number];
  readonly group?: string;
  /** The mutator's operation. */
  readonly operation?: (typeof OPERATIONS)[number];
  /** The persistence of a mutation that is not reset. */
  readonly statefulness?: (typeof STATEFULNESS)[number];
  readonly safety?: string;
  /** The mutator's position in the system's source code. Lines count from 1. */
  readonly source?: { readonly file?: string; readonly line?: number };
  /** The location where the mutator acts. Distinguishes mutators with the same name. */
  readonly probe?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The names and keys of unreadable parameters. */
  readonly unreadable?: readonly string[];
  /** All other attributes, unchanged, including an organization's own attributes. */
  readonly attributes: Attributes;
}

/** Returns a mutator's name in objectives, which is its id if it has no name. */
export function mutatorName(mutator: Pick<Mutator, 'id' | 'name'>): string {
  return mutator.name ?? mutator.id;
}

/**
 * The attribute for a mutation's maximum duration, in nanoseconds. The server then resets the mutation automatically.
 */
export const MAX_ACTIVE = 'mutator.perturb.max_active';

/** The attribute for a mutator's injection and reset timeout, in nanoseconds. */
export const ACTION_TIMEOUT = 'mutator.perturb.timeout';

/** The default timeout of a request to a server. A mutator may need longer. */
export const SERVER_TIMEOUT = { ms: 10_000, text: '10s' } as const;

/** Returns a mutator's duration attribute in milliseconds; undefined if the mutator does not have the attribute. */
export function durationIn(
  { attributes }: Pick<Mutator, 'attributes'>,
  name: typeof MAX_ACTIVE | typeof ACTION_TIMEOUT,
): number | undefined {
  const value = attributes.get(name);
  return value?.type === 'nanoseconds' ? Number(value.value) / 1e6 : undefined;
}

/** A mutation that is or may be active, as reported by Perturb's own server. */
export interface Activity {
  /** The mutation's id; absent if unknown. */
  readonly mutation?: string;
  /** The time at which the mutation became active, in milliseconds since 1970. */
  readonly since: number;
  /** The time at which the server will reset the mutation automatically, in milliseconds since 1970. */
  readonly until?: number;
}

const ACTIVE = 'mutator.perturb.active_';

/** Adds an activity to a mutator's attributes. */
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

/** Splits a listed mutator into the mutator without activity attributes, and the activity. */
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
 * Matches keys that are safe in any notation. Stricter than necessary, because keys may contain any ASCII character
 * except dots.
 */
const KEY = /^[\w-]+$/;

/**
 * Converts a text to ASCII. Drops accents, and replaces each run of characters other than letters and digits with
 * `separator`.
 */
function toAscii(text: string, separator: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/);
  return words.filter((word) => word !== '').join(separator);
}

/**
 * Returns a unique key for a parameter's name. A name of ASCII letters, digits, `_` and `-` is its own key. Other names
 * become a similar key (`Wind speed (m/s)` becomes `Wind_speed_m_s`), or `param` if no usable characters remain. A
 * duplicate key gets a numeric suffix (`_2`, `_3`).
 */
export function keyFor(name: string, takenKeys: ReadonlySet<string>): string {
  const base = KEY.test(name) ? name : toAscii(name, '_') || 'param';
  let key = base;
  for (let number = 2; takenKeys.has(key); number++) key = `${base}_${number}`;
  return key;
}

/**
 * Returns the id for a mutator's name. The id is the name in lower case, with a `-` for each run of characters other
 * than ASCII letters and digits (`Wind, east` becomes `wind-east`). If nothing remains, the id is the name itself.
 */
export function idFor(name: string): string {
  return toAscii(name, '-').toLowerCase() || name;
}

/** A mutator, and its source as written by the user. */
export interface CatalogMutator extends Mutator {
  readonly origin: string;
}

/** The mutators for checking objectives, from any combination of sources. */
export interface Catalog {
  readonly mutators: readonly CatalogMutator[];
  /** Mutators, by name in objectives. Mutators with the same name have different probes or sources. */
  readonly byName: ReadonlyMap<string, readonly CatalogMutator[]>;
  /** The tags of all mutators. */
  readonly tags: ReadonlySet<string>;
}

/** Creates a catalog of mutators. Keeps their order. */
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

/** Returns a mutator's selectors: NAME, and NAME@PROBE if it has a probe. */
export function namesFor(mutator: Pick<Mutator, 'id' | 'name' | 'probe'>): readonly string[] {
  const name = mutatorName(mutator);
  return mutator.probe === undefined ? [name] : [name, `${name}@${mutator.probe}`];
}

/** Returns the mutators that match a `NAME[@PROBE]` selector. A name may itself contain an `@`. */
export function selectMutators<M extends Mutator>(
  mutators: readonly M[],
  word: string,
): readonly M[] {
  return mutators.filter((mutator) => namesFor(mutator).includes(word));
}

/** Returns the distinct probes of mutators, in order of first appearance. */
export function probesOf(mutators: readonly Mutator[]): readonly string[] {
  return [...new Set(mutators.flatMap(({ probe }) => (probe === undefined ? [] : [probe])))];
}

/** Returns the mutators with at least one of the tags, like `mutator_tags`. */
export function selectByTags<M extends Mutator>(
  mutators: readonly M[],
  tags: readonly string[],
): readonly M[] {
  return mutators.filter((mutator) => mutator.tags.some((tag) => tags.includes(tag)));
}
