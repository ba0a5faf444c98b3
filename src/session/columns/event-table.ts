import { SessionError } from '../problem.js';
import { ValueKind } from '../session.js';
import { Growing, GrowingColumn } from './column.js';

/** How an interaction names an event: the number that the table gave it, or as records do. */
export type Reference =
  | number
  | string
  | readonly [probe: string, seq: bigint]
  | readonly [probe: string, timeline: string, seq: bigint];

interface Interaction {
  readonly from: Reference;
  readonly to: Reference;
  /** 0 where there is none. */
  readonly line: number;
}

/** As many entries as a Map of V8 holds. */
const MOST_KEYS = 2 ** 24;

/** Events and interactions as they come, in columns, before they have their order. */
export class EventTable {
  private readonly mostKeys: number;
  readonly texts: string[] = [];
  private readonly textNumbers = new Map<string, number>();
  /** By event, the number of its probe's name among `texts`. */
  readonly probes = new Growing(Int32Array);
  /** By event, the number of its timeline's name among `texts`; -1 where it names none. */
  readonly timelines = new Growing(Int32Array);
  /** By event, its line; 0 where there is none. */
  readonly lines = new Growing(Int32Array);
  readonly columns = new Map<string, GrowingColumn>();
  readonly name = this.column('name');
  readonly seq = this.column('seq');
  readonly time = this.column('time');
  readonly eventById = new Map<string, number>();
  readonly interactions: Interaction[] = [];

  /** @param mostKeys how many different texts, and how many ids, there may be */
  constructor(mostKeys = MOST_KEYS) {
    this.mostKeys = mostKeys;
  }

  /** The number of events. */
  get size(): number {
    return this.probes.length;
  }

  column(name: string): GrowingColumn {
    let column = this.columns.get(name);
    if (column === undefined) {
      column = new GrowingColumn();
      this.columns.set(name, column);
    }
    return column;
  }

  /**
   * The number of a text, which `texts` has once; a half of a surrogate pair counts as U+FFFD.
   *
   * @throws {SessionError} for one text more than the table may have
   */
  numberOf(text: string): number {
    const known = this.textNumbers.get(text);
    if (known !== undefined) return known;
    const whole = text.replace(/\p{Cs}/gu, '\ufffd');
    if (whole !== text) return this.numberOf(whole);
    this.expectRoom(this.textNumbers, 'different names and values of attributes');
    this.textNumbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  /** Gives an event its id. @throws {SessionError} for one id more than the table may have */
  addId(id: string, event: number): void {
    this.expectRoom(this.eventById, 'ids of events');
    this.eventById.set(id, event);
  }

  private expectRoom({ size }: ReadonlyMap<string, number>, what: string): void {
    if (size < this.mostKeys) return;
    const most = this.mostKeys.toLocaleString('en');
    const message = `the session has more than ${most} ${what}, and no more can be held: split it, or leave out what is another text in each event`;
    throw new SessionError([{ message }]);
  }

  /** Adds an interaction on a line; 0 where there is none. */
  addInteraction(from: Reference, to: Reference, line: number): void {
    this.interactions.push({ from: this.kept(from), to: this.kept(to), line });
  }

  /** A reference with the table's own texts of its probe and timeline, so that not each keeps another. */
  private kept(reference: Reference): Reference {
    if (typeof reference !== 'object') return reference;
    const own = (text: string) => this.texts[this.numberOf(text)] as string;
    return reference.length === 2
      ? [own(reference[0]), reference[1]]
      : [own(reference[0]), own(reference[1]), reference[2]];
  }

  /** Adds an event; its values are then added to the columns. */
  addEvent(probe: string, name: string, line: number, timeline?: string): number {
    const event = this.size;
    this.probes.push(this.numberOf(probe));
    this.timelines.push(timeline === undefined ? -1 : this.numberOf(timeline));
    this.lines.push(line);
    this.name.add(event, ValueKind.string, this.numberOf(name));
    return event;
  }
}
