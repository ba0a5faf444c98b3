import { quote } from '../../diagnostics/index.js';
import { nanosecondsText } from '../../values/index.js';
import type { EventTable } from '../columns/event-table.js';
import { GrowingBigIntList, GrowingList } from '../columns/growing.js';
import type { Problems } from '../problem.js';
import type { Reading } from '../reading.js';
import {
  type CalendarTime,
  DAY,
  type DateOrder,
  fitIn64Bits,
  guessUnit,
  isPlausibleTime,
  LEAP_YEAR,
  matchNumericTime,
  type NumericTimeMatch,
  readCalendar,
  SECOND,
  scaleCount,
  type TimeUnit,
  UNIT_SIZES,
  unitOfKey,
} from './times.js';
import { makeZone, type Zone } from './zones.js';

/** Overrides for parsing times. */
export type TimeReading = Pick<Reading, 'zone' | 'dates' | 'unit' | 'epoch'>;

const HALF_A_DAY = DAY / 2n;
/**
 * Maximum delay of a line that a thread writes out of order. A line from the last minute before midnight belongs to the
 * old day, even if it follows a line of the new day.
 */
const MINUTE = 60n * SECOND;
const YEAR = 365n * DAY;
const HALF_A_YEAR = YEAR / 2n;
const MILLISECOND = 1_000_000n;

/** The days from 1900 to 1970. Spreadsheets begin with day 1, and treat 1900 as a leap year. */
const DAYS_FROM_1900 = 25_567n;
const SPREADSHEET_DAYS = 25_569n;

/** The numeric times of one key. */
interface Counts {
  readonly unit: TimeUnit | undefined;
  /** True if the unit was guessed from the size of the first number. */
  readonly isGuessed: boolean;
  readonly offset: bigint;
  /** The number of times. */
  count: number;
  /** The smallest and the largest time, in billionths of the unit. */
  min: bigint;
  max: bigint;
  isPlausible: boolean;
}

/** Times with an ambiguous day and month, until a later line resolves the ambiguity. */
interface UndecidedDates {
  readonly key: string;
  readonly example: string;
  /** False for two-digit years, because the year may also come first. */
  readonly isDecidable: boolean;
  readonly events: GrowingList;
  /** For each of `events`, the moment if the month comes first. */
  readonly monthFirst: GrowingBigIntList;
}

/**
 * Converts a file's times to moments, line by line. Determines the time zone, missing days and years, the units of
 * numbers, and the order of day and month. Later lines may resolve ambiguities; `settle` applies the result to earlier
 * lines.
 */
export class LogClock {
  private readonly counts = new Map<string, Counts>();
  private readonly zone: Zone | undefined;
  private order: DateOrder | undefined;
  private undecidedDates: UndecidedDates | undefined;
  /** The current day and the last moment, in nanoseconds since the first midnight. */
  private day = 0n;
  private lastOfDay: bigint | undefined;
  private year = 1970;
  private lastOfYear: bigint | undefined;
  /** The number of years to add to times without a year, in events before `beforeEvent`. */
  private readonly yearShifts: { readonly beforeEvent: number; readonly years: number }[] = [];
  private previous: bigint | undefined;

  /**
   * @param unit the unit of the format's numeric times
   * @param layouts the format's time layouts, which replace the built-in layouts
   */
  constructor(
    private readonly reading: TimeReading,
    private readonly unit: TimeUnit | undefined,
    private readonly layouts: readonly RegExp[] = [],
  ) {
    this.order = reading.dates;
    this.zone = reading.zone === undefined ? undefined : makeZone(reading.zone);
  }

  /**
   * Parses a time.
   *
   * @param key the time's key in the record
   * @returns the moment, if the unit of a number is known; undefined for a text that is not a time
   */
  read(text: string, key: string, event: number): { readonly moment?: bigint } | undefined {
    const hasLayouts = this.layouts.length > 0;
    const count = hasLayouts ? undefined : matchNumericTime(text);
    if (count !== undefined) return this.readNumber(count, key);
    const time = readCalendar(text, this.order, this.layouts);
    if (time !== undefined) return { moment: this.toMoment(time, text, key, event) };
    const numeric = hasLayouts ? matchNumericTime(text) : undefined;
    return numeric && this.readNumber(numeric, key);
  }

  private readNumber(
    count: NumericTimeMatch,
    key: string,
  ): { readonly moment?: bigint } | undefined {
    const counts = this.counts.get(key) ?? this.beginCounts(count, key);
    const { unit, offset, isGuessed } = counts;
    const size = scaleCount(count, SECOND);
    counts.count++;
    if (size < counts.min) counts.min = size;
    if (size > counts.max) counts.max = size;
    if (unit === undefined) return {};
    const moment = fitIn64Bits(scaleCount(count, UNIT_SIZES[unit]) - offset);
    counts.isPlausible &&= moment !== undefined && isPlausibleTime(moment);
    return moment === undefined ? (isGuessed ? {} : undefined) : { moment };
  }

  private beginCounts(count: NumericTimeMatch, key: string): Counts {
    const givenUnit = this.reading.unit ?? unitOfKey(key) ?? this.unit;
    const unit = givenUnit ?? guessUnit(count);
    const size = scaleCount(count, SECOND);
    const counts: Counts = {
      ...{ unit, isGuessed: givenUnit === undefined, offset: this.epochOffset(count, unit) },
      ...{ count: 0, min: size, max: size, isPlausible: true },
    };
    this.counts.set(key, counts);
    return counts;
  }

  /** Returns the time from the counts' epoch to 1970, in nanoseconds. */
  private epochOffset(count: NumericTimeMatch, unit: TimeUnit | undefined): bigint {
    const days = unit === 'days' ? SPREADSHEET_DAYS : DAYS_FROM_1900;
    const { epoch } = this.reading;
    if (epoch !== undefined || unit !== 'days') return epoch === '1900' ? days * DAY : 0n;
    const moment = fitIn64Bits(scaleCount(count, DAY) - days * DAY);
    return moment !== undefined && isPlausibleTime(moment) ? days * DAY : 0n;
  }

  private toMoment(time: CalendarTime, text: string, key: string, event: number): bigint {
    const { missing, hasZone, order, isOfTwoDigits = false } = time;
    const localTime =
      missing === 'date'
        ? this.onDay(time.moment)
        : missing === 'year'
          ? this.inYear(time, event)
          : time.moment;
    const moment = this.inZone(localTime, hasZone);
    if (order === 'either') {
      this.undecidedDates ??= {
        ...{ key, example: text, isDecidable: !isOfTwoDigits },
        ...{ events: new GrowingList(), monthFirst: new GrowingBigIntList() },
      };
      const swapped = readCalendar(text, 'mdy')?.moment ?? localTime;
      this.undecidedDates.events.push(event);
      this.undecidedDates.monthFirst.push(this.inZone(swapped, hasZone));
    } else this.order ??= order;
    this.previous = moment;
    return moment;
  }

  /**
   * Returns the moment of a time of day. A time more than half a day before the previous time belongs to the next day.
   */
  private onDay(time: bigint): bigint {
    const { lastOfDay: previousTime = time } = this;
    if (previousTime - (this.day + time) > HALF_A_DAY) this.day += DAY;
    const moment = this.day + time;
    this.lastOfDay = this.day > 0n && moment - previousTime > DAY - MINUTE ? moment - DAY : moment;
    return this.lastOfDay;
  }

  /**
   * Returns the moment of a time without a year. A time more than half a year before the previous time belongs to the
   * next year.
   */
  private inYear({ moment, isLeapDay = false }: CalendarTime, event: number): bigint {
    const writtenYear = isLeapDay ? LEAP_YEAR : 1970;
    const { lastOfYear: previousTime } = this;
    const at = (year: number) => addYears(moment, year - writtenYear);
    if (previousTime !== undefined && previousTime - at(this.year) > HALF_A_YEAR) this.year++;
    const year = isLeapDay ? nearestLeapYear(this.year) : this.year;
    if (year !== this.year && previousTime !== undefined)
      this.yearShifts.push({ beforeEvent: event, years: year - this.year });
    this.year = year;
    const isOfLastYear =
      year > 1970 &&
      previousTime !== undefined &&
      at(year) - previousTime > YEAR - DAY &&
      !isLeapDay;
    this.lastOfYear = at(isOfLastYear ? year - 1 : year);
    return this.lastOfYear;
  }

  /**
   * Returns the moment of a local time. If the time occurs twice because clocks are set back, returns the first
   * occurrence that is not before the previous moment.
   */
  private inZone(localTime: bigint, hasZone: boolean): bigint {
    if (hasZone || this.zone === undefined) return localTime;
    const moments = this.zone(localTime);
    const { previous } = this;
    const following =
      previous === undefined ? undefined : moments.find((moment) => moment >= previous);
    return following ?? (moments[0] as bigint);
  }

  /**
   * Applies decisions that depend on the whole file. Corrects times in the table if later lines require it, and removes
   * uncertain times.
   *
   * @param first the file's first event
   */
  settle(table: EventTable, first: number, problems: Problems): void {
    const uncertainties = [...this.undecidedUnits(), ...this.undecidedDateOrder()];
    for (const message of uncertainties) problems.add('record', { count: 0, message });
    if (uncertainties.length === 0) {
      for (const [key, counts] of this.counts)
        problems.notes.push({ ...problems.location, message: countsText(key, counts) });
    }
    const { undecidedDates } = this;
    const monthFirst = this.order === 'mdy' ? undecidedDates : undefined;
    if (uncertainties.length === 0 && monthFirst === undefined && this.yearShifts.length === 0)
      return;
    let index = 0;
    table.rewrite('time', (column, event, _kind, number, integer) => {
      const moment = integer ?? BigInt(number);
      if (event < first) column.addInteger(event, moment);
      else if (uncertainties.length === 0) {
        const isMonthFirst =
          monthFirst !== undefined &&
          index < monthFirst.events.length &&
          monthFirst.events.at(index) === event;
        const time = isMonthFirst ? monthFirst.monthFirst.at(index++) : moment;
        column.addInteger(event, this.shiftYears(time, event));
      }
    });
  }

  /** Adds pending years to a moment without a year. Moments without a year count from 1970, and are before 2000. */
  private shiftYears(moment: bigint, event: number): bigint {
    const yearShifts = isPlausibleTime(moment)
      ? []
      : this.yearShifts.filter(({ beforeEvent }) => event < beforeEvent);
    return yearShifts.reduce((shifted, { years }) => addYears(shifted, years), moment);
  }

  private undecidedUnits(): readonly string[] {
    return [...this.counts].flatMap(([key, counts]) => {
      const { unit, isGuessed, isPlausible: isInRange, min, max } = counts;
      const span = unit === undefined ? 0n : ((max - min) * UNIT_SIZES[unit]) / SECOND;
      if (unit !== undefined && (!isGuessed || (isInRange && span < YEAR))) return [];
      const choices = (Object.keys(UNIT_SIZES) as TimeUnit[]).map((unit) => {
        const difference = ((max - min) * UNIT_SIZES[unit]) / SECOND;
        return `${unit} (${spanText(difference)})`;
      });
      return [
        `the times in ${quote(key)} are numbers from ${sizeText(min)} to ${sizeText(max)} in an unknown unit: set the unit with --unit, or as unit in a [reading] of perturb.toml; the units and the resulting time spans are: ${choices.join(', ')}`,
      ];
    });
  }

  private undecidedDateOrder(): readonly string[] {
    const { undecidedDates, order } = this;
    if (undecidedDates === undefined || (order !== undefined && undecidedDates.isDecidable))
      return [];
    const choices = undecidedDates.isDecidable ? 'dmy or mdy' : 'dmy, mdy or ymd';
    return [
      `no line decides whether the day or the month comes first in the times of ${quote(undecidedDates.key)}, such as ${quote(undecidedDates.example)}: set the order with --dates, or as dates in a [reading] of perturb.toml: ${choices}`,
    ];
  }
}

/** Describes the interpretation of a key's numeric times. */
function countsText(key: string, { unit = 's', offset, isPlausible, min, max }: Counts): string {
  const start = !isPlausible ? 'a start' : offset > 0n ? '1900' : '1970';
  const span = ((max - min) * UNIT_SIZES[unit]) / SECOND;
  return `the times in ${quote(key)} are numbers of ${unit} since ${start}, which span ${spanText(span)}`;
}

function spanText(nanoseconds: bigint): string {
  const years = nanoseconds / YEAR;
  return years > 0n
    ? `${years.toLocaleString('en')} ${years === 1n ? 'year' : 'years'}`
    : nanosecondsText(nanoseconds);
}

/** Formats a number given in billionths. */
function sizeText(billionths: bigint): string {
  const digits = String(billionths < 0n ? -billionths : billionths).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${billionths < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction && `.${fraction}`}`;
}

function isLeapYear(year: number): boolean {
  return new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
}

/** Returns the nearest leap year. In a tie, returns the later year. */
function nearestLeapYear(year: number): number {
  for (let distance = 0; ; distance++) {
    if (isLeapYear(year + distance)) return year + distance;
    if (isLeapYear(year - distance)) return year - distance;
  }
}

function addYears(moment: bigint, years: number): bigint {
  const date = new Date(Number(moment / MILLISECOND));
  const remainder = moment % MILLISECOND;
  return BigInt(date.setUTCFullYear(date.getUTCFullYear() + years)) * MILLISECOND + remainder;
}
