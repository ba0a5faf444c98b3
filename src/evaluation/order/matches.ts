import type { Session } from '../../session/index.js';
import { at } from '../../source/index.js';
import { findFirstAtLeast } from '../select/candidates.js';
import { orderIndexOf } from './order-index.js';

/** The positions of a list's events relative to the receives. */
export interface Segments {
  /** The distinct last receives at or before the list's events, in topological order for better cache locality. */
  readonly receives: Int32Array;
  /** For each event, the index of its receive in `receives`, or -1. */
  readonly of: Int32Array;
}

/** The events that a label can be bound to, in ascending order and therefore grouped by probe. */
export class Matches {
  readonly #session: Session;
  #segments: Segments | undefined;
  #probes: Int32Array | undefined;
  /** The position of each probe's first event, and finally the number of events. */
  readonly start: Int32Array;

  constructor(
    session: Session,
    readonly events: Int32Array,
  ) {
    this.#session = session;
    const { start } = session.timelines;
    this.start = new Int32Array(start.length);
    // If timelines are short, the next timeline begins nearby.
    const isNear = start.length * 8 > events.length;
    let next = 0;
    for (let probe = 1; probe < start.length; probe++) {
      const first = at(start, probe);
      if (isNear) while (next < events.length && at(events, next) < first) next++;
      else next = findFirstAtLeast(events, first, next);
      this.start[probe] = next;
    }
  }

  /** Returns the probes with events of the list. */
  get sources(): Int32Array {
    const { start } = this;
    const sources = new Int32Array(Math.min(start.length - 1, this.size));
    let count = 0;
    for (let probe = 0; probe + 1 < start.length; probe++) {
      if (at(start, probe) < at(start, probe + 1)) sources[count++] = probe;
    }
    return sources.subarray(0, count);
  }

  get size(): number {
    return this.events.length;
  }

  /** Returns the probe of each event. */
  get probes(): Int32Array {
    if (this.#probes === undefined) {
      this.#probes = new Int32Array(this.size);
      for (let probe = 0; probe + 1 < this.start.length; probe++) {
        this.#probes.fill(probe, this.start[probe], this.start[probe + 1]);
      }
    }
    return this.#probes;
  }

  /** Returns the number of the list's events on a probe before an event of the same probe. O(log events). */
  before(event: number, probe: number): number {
    const first = at(this.start, probe);
    return findFirstAtLeast(this.events, event, first, this.start[probe + 1]) - first;
  }

  /** Returns the list's segments, computed once in O(events + receives). */
  get segments(): Segments {
    this.#segments ??= this.#findSegments();
    return this.#segments;
  }

  /**
   * Returns the number of the last receive at or before an event of the list. Numbers count from 1; 0 means no receive.
   */
  receiveBefore(position: number): number {
    const segment = at(this.segments.of, position);
    return segment < 0 ? 0 : at(this.segments.receives, segment) + 1;
  }

  #findSegments(): Segments {
    const { order } = this.#session;
    const { positionOf: placeOf } = orderIndexOf(order);
    const of = new Int32Array(this.size).fill(-1);
    // First marks the receives of segments with 1, then stores their indices in `receives`.
    const segmentAt = new Int32Array(placeOf.length);
    for (let probe = 0; probe + 1 < this.start.length; probe++) {
      const first = at(order.receiveStart, probe);
      const end = at(order.receiveStart, probe + 1);
      let last = first;
      for (let index = at(this.start, probe); index < at(this.start, probe + 1); index++) {
        const event = at(this.events, index);
        while (last < end && at(order.receives, last) <= event) last++;
        if (last === first) continue;
        const receive = at(placeOf, last - 1);
        of[index] = receive;
        segmentAt[receive] = 1;
      }
    }
    const receives = new Int32Array(Math.min(this.size, segmentAt.length));
    let count = 0;
    for (let receive = 0; receive < segmentAt.length; receive++) {
      if (segmentAt[receive] === 0) continue;
      segmentAt[receive] = count;
      receives[count++] = receive;
    }
    for (let position = 0; position < of.length; position++) {
      const receive = at(of, position);
      if (receive >= 0) of[position] = at(segmentAt, receive);
    }
    return { receives: receives.subarray(0, count), of };
  }
}
