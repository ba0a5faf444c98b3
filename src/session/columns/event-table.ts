import { at } from '../../source/index.js';
import { ValueKind } from '../session.js';
import { GrowingColumn } from './growing-column.js';
import { Texts } from './texts.js';

/** How an interaction names an event. */
export type Reference =
  /** By the number that the table gave it. */
  | { readonly event: number }
  /** By its id: the number of the id among `ids`. */
  | { readonly id: number }
  /** By its probe, a number among `texts`, and its `seq` or, at a probe without, its place. */
  | { readonly probe: number; readonly seq: bigint };

const BY_EVENT = -1;
const BY_ID = -2;

/** Events and interactions as they come, in columns, before they have their order. */
export class EventTable {
  readonly texts = new Texts();
  readonly ids = new Texts(false);
  /** By event, the number of its probe's name among `texts`. */
  readonly probes = new GrowingInts();
  /** By event, its line; 0 where there is none. */
  readonly lines = new GrowingInts();
  readonly columns = new Map<string, GrowingColumn>();
  readonly name: GrowingColumn;
  readonly seq: GrowingColumn;
  readonly time: GrowingColumn;
  /** By number of an id, its event; -1 where none has come yet. */
  private readonly eventById = new GrowingInts();
  private readonly senders = new References();
  private readonly receivers = new References();
  private readonly interactionLines = new GrowingInts();

  constructor() {
    this.name = this.column('name');
    this.seq = this.column('seq');
    this.time = this.column('time');
  }

  /** The number of events. */
  get size(): number {
    return this.probes.length;
  }

  get interactionCount(): number {
    return this.interactionLines.length;
  }

  column(name: string): GrowingColumn {
    let column = this.columns.get(name);
    if (column === undefined) {
      column = new GrowingColumn();
      this.columns.set(name, column);
    }
    return column;
  }

  /** Adds an event; its values are then added to the columns. */
  addEvent(probe: number, name: number, line: number): number {
    const event = this.size;
    this.probes.push(probe);
    this.lines.push(line);
    this.name.add(event, ValueKind.string, name);
    return event;
  }

  /** Gives an event an id; false where another has it. */
  setId(event: number, id: number): boolean {
    while (this.eventById.length < id) this.eventById.push(-1);
    if (this.eventById.length === id) this.eventById.push(event);
    else if (this.eventById.at(id) >= 0) return false;
    else this.eventById.view()[id] = event;
    return true;
  }

  /** The event of an id, or -1. */
  eventOf(id: number): number {
    return id < this.eventById.length ? this.eventById.at(id) : -1;
  }

  addInteraction(from: Reference, to: Reference, line: number): number {
    this.senders.push(from);
    this.receivers.push(to);
    this.interactionLines.push(line);
    return this.interactionLines.length - 1;
  }

  senderOf(interaction: number): Reference {
    return this.senders.at(interaction);
  }

  receiverOf(interaction: number): Reference {
    return this.receivers.at(interaction);
  }

  lineOfInteraction(interaction: number): number {
    return this.interactionLines.at(interaction);
  }
}

/** References in columns. */
class References {
  /** `BY_EVENT`, `BY_ID` or the number of a probe's name. */
  private readonly ways = new GrowingInts();
  private readonly numbers = new GrowingInts();
  /** By interaction, the `seq` that 32 bits do not hold. */
  private readonly longSeqs = new Map<number, bigint>();

  push(reference: Reference): void {
    if ('event' in reference) {
      this.ways.push(BY_EVENT);
      this.numbers.push(reference.event);
    } else if ('id' in reference) {
      this.ways.push(BY_ID);
      this.numbers.push(reference.id);
    } else {
      const { probe, seq } = reference;
      const number = Number(seq) | 0;
      if (BigInt(number) !== seq) this.longSeqs.set(this.ways.length, seq);
      this.ways.push(probe);
      this.numbers.push(number);
    }
  }

  at(index: number): Reference {
    const way = this.ways.at(index);
    const number = this.numbers.at(index);
    if (way === BY_EVENT) return { event: number };
    if (way === BY_ID) return { id: number };
    return { probe: way, seq: this.longSeqs.get(index) ?? BigInt(number) };
  }
}

/** A list of 32-bit integers that grows at its end. */
class GrowingInts {
  private items = new Int32Array(64);
  length = 0;

  push(item: number): void {
    if (this.length === this.items.length) {
      const grown = new Int32Array(Math.ceil(this.length * 1.5));
      grown.set(this.items);
      this.items = grown;
    }
    this.items[this.length++] = item;
  }

  at(index: number): number {
    return at(this.items, index);
  }

  /** The items; not a copy, and of this moment only. */
  view(): Int32Array {
    return this.items.subarray(0, this.length);
  }
}
