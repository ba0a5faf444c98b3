import { type Expression, staysTrue } from '../../expression/index.js';
import { type NewEvent, type Session, SessionBuilder } from '../../session/index.js';
import { chooseOrder, type OrderRequest, orderFor } from '../clocks/order-choice.js';
import { unlessUndecided } from '../exact/undecided.js';
import { buildQuery } from '../query/build-query.js';
import type { Query } from '../query/query.js';
import { allEvents } from '../select/candidates.js';
import { selectEvents } from '../select/select-events.js';
import { evaluate } from './evaluate.js';
import type { EvaluateOptions } from './options.js';

export interface GrowingOptions extends Pick<EvaluateOptions, 'budget'> {
  /**
   * Minimum relative growth of the session between two evaluations of an expression (default 0). With 0.1, all
   * evaluations together cost about as much as eleven evaluations of the whole session, and a binding is detected by
   * the time the session has grown by a tenth.
   */
  readonly lag?: number;
  /** The requested order of events (default `auto`). */
  readonly order?: () => OrderRequest;
}

/** A watched expression over a growing session. */
export interface Watch {
  /** Evaluates the expression over the session so far; undefined if undecided. */
  isTrue(): boolean | undefined;
}

/**
 * A session that grows while expressions are watched. Callers add events and interactions, and query each expression
 * repeatedly.
 *
 * An expression without AGGREGATE, absences, NEXT, `||` and session times stays true once true, because recorded events
 * do not change and interactions only add order. A watch does not evaluate such an expression again once it is true.
 * Before that, the watch inspects only new events. It evaluates the expression only if every label has a matching
 * event, and if an interaction or a matching event has arrived since the last evaluation. Any other expression may
 * become false again, so every new event or interaction causes an evaluation.
 */
export class GrowingSession {
  readonly #builder = new SessionBuilder();
  readonly #events: NewEvent[] = [];
  readonly #options: GrowingOptions;
  #interactions = 0;
  #built: { readonly session: Session; readonly size: number } | undefined;

  constructor(options: GrowingOptions = {}) {
    this.#options = options;
  }

  /** The number of events and interactions. */
  get size(): number {
    return this.#events.length + this.#interactions;
  }

  /** Adds an event. Returns its number for use in interactions. */
  event(event: NewEvent): number {
    this.#events.push(event);
    return this.#builder.event(event);
  }

  /** Orders one event before another, like `SessionBuilder.interaction`. */
  interaction(from: number, to: number): void {
    this.#builder.interaction(from, to);
    this.#interactions++;
  }

  /**
   * Returns the session so far. Takes O(events), or constant time if the session has not grown since the last call.
   *
   * @throws {SessionError} if the interactions form a cycle
   */
  session(): Session {
    if (this.#built?.size !== this.size) {
      this.#built = { session: this.#builder.build(), size: this.size };
    }
    return this.#built.session;
  }

  /**
   * Watches an expression.
   *
   * @param expression an expression that passes the checks without errors
   * @throws {RangeError} for an unknown label or function
   */
  watch(expression: Expression): Watch {
    const query = unlessUndecided(() => buildQuery(expression));
    if (query === undefined) return { isTrue: () => undefined };
    const isMonotone = staysTrue(expression);
    const hasMatch = query.labels.map(() => false);
    const processed = { events: 0, interactions: 0 };
    let lastResult: { readonly size: number; readonly isTrue: boolean | undefined } | undefined;
    let hasNews = !isMonotone;

    const processNew = (): void => {
      const matching = this.#matching(query, processed.events);
      matching.forEach((matches, label) => {
        if (matches) hasMatch[label] = true;
      });
      const isOrdered = this.#interactions > processed.interactions;
      hasNews ||= matching.includes(true) || isOrdered;
      processed.events = this.#events.length;
      processed.interactions = this.#interactions;
    };
    return {
      isTrue: () => {
        if (lastResult?.size === this.size || (isMonotone && lastResult?.isTrue))
          return lastResult.isTrue;
        if (isMonotone) {
          processNew();
          if (hasMatch.includes(false)) return false;
          if (!hasNews) return lastResult?.isTrue;
        }
        const nextSize =
          lastResult === undefined ? 0 : lastResult.size * (1 + (this.#options.lag ?? 0));
        if (this.size < nextSize) return lastResult?.isTrue;
        const session = this.session();
        const { order: request, ...options } = this.#options;
        const order = orderFor(chooseOrder([session], request?.()), [session], expression);
        const { status } = evaluate(session, expression, { ...options, order });
        lastResult = {
          size: this.size,
          isTrue: status === 'undecided' ? undefined : status === 'holds',
        };
        hasNews = !isMonotone;
        return lastResult.isTrue;
      },
    };
  }

  /**
   * Returns one boolean per label: true if an event from `firstEvent` on satisfies, or may satisfy, the label's pattern
   * and single-label filters.
   */
  #matching(query: Query, firstEvent: number): boolean[] {
    if (firstEvent === this.#events.length) return query.labels.map(() => false);
    const builder = new SessionBuilder();
    for (let at = firstEvent; at < this.#events.length; at++) {
      builder.event(this.#events[at] as NewEvent);
    }
    const session = builder.build();
    return query.patterns.map((pattern, label) => {
      const tests = [pattern, ...(query.filters[label] ?? [])];
      const sessionEvents = allEvents(session);
      const matches = unlessUndecided(() =>
        tests.reduce((matching, test) => selectEvents(session, test, matching), sessionEvents),
      );
      return matches === undefined || matches.length > 0;
    });
  }
}
