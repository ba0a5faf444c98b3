import type { Session } from '../../session/index.js';
import { ClockColumns, type LaneLimits } from '../order/clock-columns.js';
import type { Matches } from '../order/matches.js';
import type { Direction } from './direction.js';
import { message } from './message.js';
import type { Monoid } from './monoid.js';
import { type Pair, preparePair } from './pair.js';
import type { Relation } from './relation.js';

/** Lists of events for the labels, and messages between them; what they need is prepared once. */
export class Solver {
  readonly #pairs = new Map<Relation, Pair>();

  constructor(
    readonly session: Session,
    readonly lists: readonly Matches[],
    readonly limits?: LaneLimits,
  ) {}

  list(label: number): Matches {
    return this.lists[label] as Matches;
  }

  /** The message to `label` along a relation from the label at its other end. */
  message(relation: Relation, label: number, weights: Float64Array, monoid: Monoid): Float64Array {
    const earlier = relation.order === -1 ? relation.v : relation.u;
    const direction: Direction = label === earlier ? 'to a' : 'to b';
    return message(this.#pair(relation, earlier), weights, direction, monoid);
  }

  #pair(relation: Relation, earlier: number): Pair {
    const known = this.#pairs.get(relation);
    if (known !== undefined) return known;
    const later = earlier === relation.u ? relation.v : relation.u;
    const clocks =
      relation.order === 0
        ? undefined
        : new ClockColumns(this.session, this.list(earlier), this.list(later), this.limits);
    const pair = preparePair(this.session, relation, this.lists, clocks);
    this.#pairs.set(relation, pair);
    return pair;
  }
}
