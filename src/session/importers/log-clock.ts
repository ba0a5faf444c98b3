import { quote } from '../../diagnostics/index.js';
import { nanosecondsText } from '../../values/index.js';
import type { EventTable } from '../columns/event-table.js';
import { Growing, GrowingLong } from '../columns/growing.js';
import type { Problems } from '../problem.js';
import type { Reading } from '../reading.js';
import {
  type CalendarTime,
  type CountUnit,
  DAY,
  type DayOrder,
  isPlausible,
  LEAP_YEAR,
  readCalendar,
  readCount,
  SECOND,
  scaled,
  UNIT_SIZES,
  unitOf,
  unitOfKey,
  type WrittenCount,
  within64,
} from './times.js';
import { type Zone, zoneOf } from './zones.js';

/** The parts of a reading that concern times. */
export type TimeReading = Pick<Reading, 'zone' | 'dates' | 'unit' | 'epoch'>;

const HALF_A_DAY = DAY / 2n;
/** Lines of several threads are out of order by less. A line so shortly before midnight is not a day later. */
const MINUTE = 60n * SECOND;
const YEAR = 365n * DAY;
const HALF_A_YEAR = YEAR / 2n;
const MILLISECOND = 1_000_000n;

/** From 1900 to 1970; spreadsheets begin with day 1, and take 1900 for a leap year. */
const DAYS_FROM_1900 = 25_567n;
const SPREADSHEET_DAYS = 25_569n;

/** Times of one key that are numbers. */
interface Counts {
  readonly unit: CountUnit | undefined;
  /** True if only the size of the number determines the unit. */
  readonly isGuessed: boolean;
  readonly offset: bigint;
  /** Number of its events without a certain time. */
  count: number;
  /** The smallest and the largest, in billionths of the unit. */
  least: bigint;
  most: bigint;
  isPlausible: boolean;
}

/** Times of ambiguous day and month, until a line decides. */
interface Undecided {
  readonly key: string;
  readonly written: string;
  /** False for years of two digits, which may come first as well. */
  readonly mayBeDecided: boolean;
  readonly events: Growing;
  /** By position among the events, the moment with the month first. */
  readonly swapped: GrowingLong;
}

/**
 * Converts the written times of a file to moments, line by line. Determines the zone, the day of times without a
 * date, the year of dates without one, the unit of numbers, and the order of day and month. Later lines may still
 * decide these; `settle` applies their decisions.
 */
export class LogClock {
  private readonly counts = new Map<string, Counts>();
  private readonly zone: Zone | undefined;
  private order: DayOrder | undefined;
  private undecided: Undecided | undefined;
  /** The number of midnights so far, and the last time of day. */
  private day = 0n;
  private lastOfDay: bigint | undefined;
  private year = 1970;
  private lastOfYear: bigint | undefined;
  /** The number of years to add to the events without a year that come before one. */
  private readonly moves: { readonly before: number; readonly years: number }[] = [];
  private last: bigint | undefined;

  /**
   * @param unit of the format's times that are numbers
   * @param layouts of its times, in place of the built-in ones
   */
  constructor(
    private readonly reading: TimeReading,
    private readonly unit: CountUnit | undefined,
    private readonly layouts: readonly RegExp[] = [],
  ) {
    this.order = reading.dates;
    this.zone = reading.zone === undefined ? undefined : zoneOf(reading.zone);
  }

  /**
   * Reads a time.
   *
   * @param key the key of the time
   * @returns undefined for a text that is not a time; no moment if the unit of a number is not known
   */
  read(written: string, key: string, event: number): { readonly moment?: bigint } | undefined {
    const isLaidOut = this.layouts.length > 0;
    const count = isLaidOut ? undefined : readCount(written);
    if (count !== undefined) return this.readNumber(count, key);
    const time = readCalendar(written, this.order, this.layouts);
    if (time !== undefined) return { moment: this.momentOf(time, written, key, event) };
    const other = isLaidOut ? readCount(written) : undefined;
    return other && this.readNumber(other, key);
  }

  private readNumber(count: WrittenCount, key: string): { readonly moment?: bigint } | undefined {
    const own = this.counts.get(key) ?? this.beginCounts(count, key);
    const { unit, offset, isGuessed } = own;
    const size = scaled(count, SECOND);
    own.count++;
    if (size < own.least) own.least = size;
    if (size > own.most) own.most = size;
    if (unit === undefined) return {};
    const moment = within64(scaled(count, UNIT_SIZES[unit]) - offset);
    own.isPlausible &&= moment !== undefined && isPlausible(moment);
    return moment === undefined ? (isGuessed ? {} : undefined) : { moment };
  }

  private beginCounts(count: WrittenCount, key: string): Counts {
    const givenUnit = this.reading.unit ?? unitOfKey(key) ?? this.unit;
    const unit = givenUnit ?? unitOf(count);
    const size = scaled(count, SECOND);
    const own: Counts = {
      ...{ unit, isGuessed: givenUnit === undefined, offset: this.offsetOf(count, unit) },
      ...{ count: 0, least: size, most: size, isPlausible: true },
    };
    this.counts.set(key, own);
    return own;
  }

  /** Returns the difference between the counts' start and 1970. */
  private offsetOf(count: WrittenCount, unit: CountUnit | undefined): bigint {
    const days = unit === 'days' ? SPREADSHEET_DAYS : DAYS_FROM_1900;
    const { epoch } = this.reading;
    if (epoch !== undefined || unit !== 'days') return epoch === '1900' ? days * DAY : 0n;
    const moment = within64(scaled(count, DAY) - days * DAY);
    return moment !== undefined && isPlausible(moment) ? days * DAY : 0n;
  }

  private momentOf(time: CalendarTime, written: string, key: string, event: number): bigint {
    const { lacks, hasZone, order, isOfTwoDigits = false } = time;
    const local =
      lacks === 'date'
        ? this.onDay(time.moment)
        : lacks === 'year'
          ? this.inYear(time, event)
          : time.moment;
    const moment = this.inZone(local, hasZone);
    if (order === 'either') {
      this.undecided ??= {
        ...{ key, written, mayBeDecided: !isOfTwoDigits },
        ...{ events: new Growing(), swapped: new GrowingLong() },
      };
      const other = readCalendar(written, 'mdy')?.moment ?? local;
      this.undecided.events.push(event);
      this.undecided.swapped.push(this.inZone(other, hasZone));
    } else this.order ??= order;
    this.last = moment;
    return moment;
  }

  /**
   * Returns the moment of a time of day: one that is earlier than the last by more than half a day is of the next
   * day.
   */
  private onDay(time: bigint): bigint {
    const { lastOfDay: last = time } = this;
    if (last - (this.day + time) > HALF_A_DAY) this.day += DAY;
    const moment = this.day + time;
    this.lastOfDay = this.day > 0n && moment - last > DAY - MINUTE ? moment - DAY : moment;
    return this.lastOfDay;
  }

  /** Returns the moment of a time without a year, by the same rule. */
  private inYear({ moment, isLeapDay = false }: CalendarTime, event: number): bigint {
    const written = isLeapDay ? LEAP_YEAR : 1970;
    const { lastOfYear: last } = this;
    const at = (year: number) => movedYears(moment, year - written);
    if (last !== undefined && last - at(this.year) > HALF_A_YEAR) this.year++;
    const year = isLeapDay ? nearestLeapYear(this.year) : this.year;
    if (year !== this.year && last !== undefined)
      this.moves.push({ before: event, years: year - this.year });
    this.year = year;
    const isOfLastYear =
      year > 1970 && last !== undefined && at(year) - last > YEAR - DAY && !isLeapDay;
    this.lastOfYear = at(isOfLastYear ? year - 1 : year);
    return this.lastOfYear;
  }

  /** Returns the moment of a local time: while clocks are set back, the first that is not before the last one. */
  private inZone(local: bigint, hasZone: boolean): bigint {
    if (hasZone || this.zone === undefined) return local;
    const moments = this.zone(local);
    const { last } = this;
    const next = last === undefined ? undefined : moments.find((moment) => moment >= last);
    return next ?? (moments[0] as bigint);
  }

  /**
   * Applies the decisions that only the last line makes: changes the times of the table where later lines require
   * it, and removes uncertain ones.
   *
   * @param first the first event of the file
   */
  settle(table: EventTable, first: number, problems: Problems): void {
    const unsure = [...this.unsureCounts(), ...this.unsureOrder()];
    for (const message of unsure) problems.add('record', { count: 0, message });
    if (unsure.length === 0) {
      for (const [key, counts] of this.counts)
        problems.notes.push({ ...problems.place, message: countsText(key, counts) });
    }
    const { undecided } = this;
    const swapped = this.order === 'mdy' ? undecided : undefined;
    if (unsure.length === 0 && swapped === undefined && this.moves.length === 0) return;
    let next = 0;
    table.rewrite('time', (column, event, _kind, number, integer) => {
      const moment = integer ?? BigInt(number);
      if (event < first) column.addInteger(event, moment);
      else if (unsure.length === 0) {
        const isSwapped =
          swapped !== undefined &&
          next < swapped.events.length &&
          swapped.events.at(next) === event;
        const own = isSwapped ? swapped.swapped.at(next++) : moment;
        column.addInteger(event, this.moved(own, event));
      }
    });
  }

  /** Only times without a year are before 2000. */
  private moved(moment: bigint, event: number): bigint {
    const moves = isPlausible(moment) ? [] : this.moves.filter(({ before }) => event < before);
    return moves.reduce((moved, { years }) => movedYears(moved, years), moment);
  }

  private unsureCounts(): readonly string[] {
    return [...this.counts].flatMap(([key, counts]) => {
      const { unit, isGuessed, isPlausible: isInRange, least, most } = counts;
      const span = unit === undefined ? 0n : ((most - least) * UNIT_SIZES[unit]) / SECOND;
      if (unit !== undefined && (!isGuessed || (isInRange && span < YEAR))) return [];
      const choices = (Object.keys(UNIT_SIZES) as CountUnit[]).map((one) => {
        const own = ((most - least) * UNIT_SIZES[one]) / SECOND;
        return `${one} (${spanText(own)})`;
      });
      return [
        `the unit of the times in ${quote(key)}, which are numbers from ${sizeText(least)} to ${sizeText(most)}, is not known: state it with --unit, or as unit in a [reading] of perturb.toml; each would give a span: ${choices.join(', ')}`,
      ];
    });
  }

  private unsureOrder(): readonly string[] {
    const { undecided, order } = this;
    if (undecided === undefined || (order !== undefined && undecided.mayBeDecided)) return [];
    const choices = undecided.mayBeDecided ? 'dmy or mdy' : 'dmy, mdy or ymd';
    return [
      `no line decides whether the day or the month comes first in the times of ${quote(undecided.key)}, such as ${quote(undecided.written)}: state it with --dates, or as dates in a [reading] of perturb.toml: ${choices}`,
    ];
  }
}

/** Describes the interpretation of the numbers. */
function countsText(
  key: string,
  { unit = 's', offset, isPlausible: isDated, least, most }: Counts,
): string {
  const start = !isDated ? 'a start' : offset > 0n ? '1900' : '1970';
  const span = ((most - least) * UNIT_SIZES[unit]) / SECOND;
  return `the times in ${quote(key)} are numbers of ${unit} since ${start}, which span ${spanText(span)}`;
}

function spanText(nanoseconds: bigint): string {
  const years = nanoseconds / YEAR;
  return years > 0n
    ? `${years.toLocaleString('en')} ${years === 1n ? 'year' : 'years'}`
    : nanosecondsText(nanoseconds);
}

/** Formats a number of billionths. */
function sizeText(billionths: bigint): string {
  const digits = String(billionths < 0n ? -billionths : billionths).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${billionths < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

function isLeapYear(year: number): boolean {
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
}

/** Returns the nearest leap year, the later one of two. */
function nearestLeapYear(year: number): number {
  for (let distance = 0; ; distance++) {
    if (isLeapYear(year + distance)) return year + distance;
    if (isLeapYear(year - distance)) return year - distance;
  }
}

function movedYears(moment: bigint, years: number): bigint {
  const date = new Date(Number(moment / MILLISECOND));
  const rest = moment % MILLISECOND;
  return BigInt(date.setUTCFullYear(date.getUTCFullYear() + years)) * MILLISECOND + rest;
}
