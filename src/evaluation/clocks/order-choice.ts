import type { Expression } from '../../expression/index.js';
import {
  isCausallyOrdered,
  type ReadingFacts,
  type Session,
  type SessionOrder,
  ValueKind,
} from '../../session/index.js';
import { unlessUndecided } from '../exact/undecided.js';
import type { Matches } from '../order/matches.js';
import { Selection } from '../order/selection.js';
import { buildQuery } from '../query/build-query.js';
import type { Test } from '../query/query.js';

/** A request for an order of events. */
export interface OrderRequest {
  /** The requested order (default `auto`). */
  readonly order?: SessionOrder;
  /** Maximum clock skew, in nanoseconds (default 0). */
  readonly skew?: bigint;
  /** True if interactions order other sessions of the same measurement. `auto` is then causal. */
  readonly isCausal?: boolean;
}

/** The order of events for an evaluation. */
export interface OrderChoice {
  /** The order: `causal` by timelines and interactions, `time` by clocks. */
  readonly by: 'causal' | 'time';
  /** True if the order was chosen automatically. A verdict that this order cannot support is then undecided. */
  readonly isAuto: boolean;
  readonly skew: bigint;
}

/**
 * Chooses the order for sessions that are evaluated together. The automatic order is causal if a session has
 * interactions, or if a session's format records interactions; otherwise it is by clocks.
 */
export function chooseOrder(sessions: readonly Session[], request: OrderRequest = {}): OrderChoice {
  const order = request.order ?? firstSetting(sessions, 'order') ?? 'auto';
  const skew = request.skew ?? firstSetting(sessions, 'skew') ?? 0n;
  if (order !== 'auto') return { by: order, isAuto: false, skew };
  for (const session of sessions) {
    if (request.isCausal || isCausallyOrdered(session)) return { by: 'causal', isAuto: true, skew };
  }
  return { by: 'time', isAuto: true, skew };
}

/** Returns the first value of a setting in the readings of several sessions. */
export function firstSetting<Key extends 'order' | 'skew'>(
  evidence: readonly { readonly reading?: Pick<ReadingFacts, 'order' | 'skew'> }[],
  key: Key,
) {
  return evidence.find(({ reading }) => reading?.[key] !== undefined)?.reading?.[key];
}

/** Returns the events that match each label's pattern, by label. */
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

/** True if all given events have a time. */
export function haveTimes({ columns }: Session, events: Int32Array): boolean {
  const kinds = columns.get('time')?.kinds;
  return events.every((event) => {
    const kind = kinds?.[event];
    return kind === ValueKind.integer || kind === ValueKind.float;
  });
}

/**
 * Returns the order for an expression over sessions. An automatic order by clocks requires a time of every matching
 * event.
 */
export function orderFor(
  choice: OrderChoice,
  sessions: readonly Session[],
  expression: Expression,
): OrderChoice {
  if (choice.by === 'causal' || !choice.isAuto) return choice;
  // An expression that cannot be calculated is undecided in any order.
  const hasTimes = unlessUndecided(() =>
    sessions.every((session) =>
      [...patternMatches(session, expression).values()].every(({ events }) =>
        haveTimes(session, events),
      ),
    ),
  );
  return hasTimes ? choice : { ...choice, by: 'causal' };
}

/** The common order of sessions that are evaluated together, chosen while the sessions are read. */
export class CommonOrder {
  readonly #sessions: Session[];
  #choice: OrderChoice;

  /** @param sessions the sessions already read */
  constructor(
    private readonly request: OrderRequest,
    sessions: readonly Session[] = [],
  ) {
    this.#sessions = [...sessions];
    this.#choice = chooseOrder(this.#sessions, request);
  }

  /** Adds a session. Keeps sessions only until the order is known. */
  add(session: Session): void {
    if (this.isKnown) return;
    this.#sessions.push(session);
    this.#choice = chooseOrder(this.#sessions, this.request);
    if (this.isKnown) this.#sessions.length = 0;
  }

  /** True if no further session can change the order. */
  get isKnown(): boolean {
    return this.#choice.by === 'causal' || !this.#choice.isAuto;
  }

  /** Returns the order for an expression. */
  readonly of = (expression: Expression): OrderChoice =>
    orderFor(this.#choice, this.#sessions, expression);
}
