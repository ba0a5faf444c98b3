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
  /** Where in the system it acts. */
  readonly layer?: (typeof LAYERS)[number];
  readonly group?: string;
  /** What it does. */
  readonly operation?: (typeof OPERATIONS)[number];
  /** How long a mutation lasts by itself. */
  readonly statefulness?: (typeof STATEFULNESS)[number];
  readonly safety?: string;
  /** Where it is written in the system's code; lines from 1. */
  readonly source?: { readonly file?: string; readonly line?: number };
  /** The place where it acts, when there are several mutators of one name. */
  readonly probe?: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  /** The names and keys of parameters that it has, and that could not be read. */
  readonly unreadable?: readonly string[];
  /** All other attributes, an organisation's own among them, as they are. */
  readonly attributes: Attributes;
}

/** The name by which an objective refers to a mutator: its id where it has no name. */
export function nameOf(mutator: Pick<Mutator, 'id' | 'name'>): string {
  return mutator.name ?? mutator.id;
}

/** The attribute that says after how long a server resets a mutator by itself: nanoseconds. */
export const MAX_ACTIVE = 'mutator.perturb.max_active';
