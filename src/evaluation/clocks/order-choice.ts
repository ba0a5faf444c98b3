import type { Expression } from '../../expression/index.js';
import {
  type ReadingFacts,
  type Session,
  type SessionOrder,
  showsCauses,
  ValueKind,
} from '../../session/index.js';
import { unlessUndecided } from '../exact/undecided.js';
import type { Matches } from '../order/matches.js';
import { Selection } from '../order/selection.js';
import { buildQuery } from '../query/build-query.js';
import type { Test } from '../query/query.js';

/** The requested order of sessions. */
export interface OrderRequest {
  /** `auto` if absent. */
  readonly order?: SessionOrder;
  /** The greatest difference between clocks, in nanoseconds; 0 if absent. */
  readonly skew?: bigint;
  /** True if interactions order sessions that belong to the same measurement: `auto` is causal then. */
  readonly isCausal?: boolean;
}

/** The order in which sessions are evaluated. */
export interface OrderChoice {
  /** By timelines and interactions, or by clocks. */
  readonly by: 'causal' | 'time';
  /** True if it was not asked for: then what it does not show is undecided. */
  readonly isAuto: boolean;
  readonly skew: bigint;
}

/**
 * The order for sessions that are evaluated together: by clocks only if none of them could hold interactions,
 * and none does.
 */
export function chooseOrder(sessions: readonly Session[], asked: OrderRequest = {}): OrderChoice {
  const order = asked.order ?? firstAsked(sessions, 'order') ?? 'auto';
  const skew = asked.skew ?? firstAsked(sessions, 'skew') ?? 0n;
  if (order !== 'auto') return { by: order, isAuto: false, skew };
  for (const session of sessions) {
    if (asked.isCausal || showsCauses(session)) return { by: 'causal', isAuto: true, skew };
  }
  return { by: 'time', isAuto: true, skew };
}

/** What the first of several sessions, or of their readings, asks for that asks for any. */
export function firstAsked<Key extends 'order' | 'skew'>(
  evidence: readonly { readonly reading?: Pick<ReadingFacts, 'order' | 'skew'> }[],
  key: Key,
) {
  return evidence.find(({ reading }) => reading?.[key] !== undefined)?.reading?.[key];
}

/** For each label of MATCH, the events that its pattern matches. */
export function patternMatches(
  session: Session,
  expression: Expression,
  selection = new Selection(session),
): ReadonlyMap<string, Matches> {
  const query = buildQuery(expression);
  return new Map(
    query.places.map(({ label, number, absence }) => {
      const { patterns } =
        absence === undefined ? query : (query.absences[absence]?.query ?? query);
      return [label, selection.matching(patterns[number] as Test)] as const;
    }),
  );
}

/** True if all of these events have a time. */
export function areTimed({ columns }: Session, events: Int32Array): boolean {
  const kinds = columns.get('time')?.kinds;
  return events.every((event) => {
    const kind = kinds?.[event];
    return kind === ValueKind.integer || kind === ValueKind.float;
  });
}

/** The order for an expression over these sessions: clocks that were not asked for need a time of every event. */
export function orderFor(
  choice: OrderChoice,
  sessions: readonly Session[],
  expression: Expression,
): OrderChoice {
  if (choice.by === 'causal' || !choice.isAuto) return choice;
  // What cannot be calculated is undecided whatever the order.
  const isTimed = unlessUndecided(() =>
    sessions.every((session) =>
      [...patternMatches(session, expression).values()].every(({ events }) =>
        areTimed(session, events),
      ),
    ),
  );
  return isTimed ? choice : { ...choice, by: 'causal' };
}

/** The one order of all sessions that are evaluated together, while they are being read. */
export class CommonOrder {
  readonly #sessions: Session[];
  #choice: OrderChoice;

  /** @param sessions those that were read before */
  constructor(
    private readonly request: OrderRequest,
    sessions: readonly Session[] = [],
  ) {
    this.#sessions = [...sessions];
    this.#choice = chooseOrder(this.#sessions, request);
  }

  /** Adds a session; it is held only until the order is known. */
  add(session: Session): void {
    if (this.isKnown) return;
    this.#sessions.push(session);
    this.#choice = chooseOrder(this.#sessions, this.request);
    if (this.isKnown) this.#sessions.length = 0;
  }

  /** True if no further session changes the order. */
  get isKnown(): boolean {
    return this.#choice.by === 'causal' || !this.#choice.isAuto;
  }

  /** The order for an expression. */
  readonly of = (expression: Expression): OrderChoice =>
    orderFor(this.#choice, this.#sessions, expression);
}
