import type { Session } from '../../session/index.js';
import type { Counts } from '../join/exact-counts.js';
import type { Relation } from '../join/relation.js';
import type { LaneLimits } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { Query } from '../query/query.js';

/** How the bindings may be found. */
export type Method = 'reachability' | 'join tree' | 'each event' | 'enumeration';

/** What bounds the work, and what tests force. */
export interface Limits {
  /** How many steps may be taken where bindings must be tried one after the other. */
  readonly budget: number;
  /** Used wherever it applies; else the first one that does. */
  readonly method?: Method | undefined;
  readonly clocks?: LaneLimits | undefined;
  /** Counts from here on are not kept in doubles. */
  readonly doubleLimit?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/** Called during a long search with how much is done: steps of the budget, or events. */
export type OnProgress = (done: number, total: number) => void;

/** The events of each label, and what a binding of them must satisfy besides. */
export interface Problem {
  readonly session: Session;
  readonly query: Query;
  readonly relations: readonly Relation[];
  /** After the patterns, the filters of single labels, and the reducer along the arrows. */
  readonly lists: readonly Matches[];
  readonly limits: Limits;
}

/** What is asked of the bindings. */
export interface Question {
  /** The labels of whose events the counts, or at least the existence, are asked for. */
  readonly wanted: ReadonlySet<number>;
  /** Whether numbers matter; else only which events take part in a binding, if any. */
  readonly counts: boolean;
}

/** Some of the bindings: those of one case. Cases have none in common. */
export interface Solution {
  /** 1 for any, where numbers do not matter. */
  readonly total: bigint;
  readonly lists: readonly Matches[];
  /** For each label that was wanted, how many bindings contain each event. */
  readonly of: ReadonlyMap<number, Counts>;
}

/** All bindings. */
export interface Solved {
  readonly method: Method;
  readonly solutions: readonly Solution[];
}

/** Why there is no answer: never a wrong one. */
export class Undecided extends Error {
  constructor(
    /** The part of the expression that forces bindings to be tried one by one. */
    readonly clause: string,
    /** What happened. */
    message: string,
    /** What would help. */
    readonly help: string,
  ) {
    super(message);
  }
}

/** That there are none. */
export const NOTHING: Solution = { total: 0n, lists: [], of: new Map() };
