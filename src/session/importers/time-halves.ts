import { quote } from '../../diagnostics/index.js';
import type { Json, JsonObject } from '../../values/index.js';
import type { Reading } from '../reading.js';
import { findValue, wordOfJson } from './mapping.js';
import { matchNumericTime, readCalendar } from './times.js';

/** Column names for a date, and for a time of day, in several languages. */
export const DATE_WORDS =
  'date datum dato data fecha jour dia giorno tarih päivä päivämäärä kuupäev datums dátum den дата 日期 日付 날짜 ngày tanggal ημερομηνία'.split(
    ' ',
  );
export const TIME_WORDS =
  'time uhrzeit zeit tijd tid klokkeslett klockslag hora heure ora orario saat aika kellonaika aeg laiks čas czas godzina idő időpont время час 时间 時刻 時間 시간 시각 giờ waktu ώρα'.split(
    ' ',
  );

/** A time as written, with its keys in the record. */
export interface WrittenTime {
  readonly text: string;
  readonly at: readonly string[];
}

type Half = 'date' | 'time';

/** Joins a date and a time of day from two keys of a record. */
export class DateTimeJoiner {
  /** The key of the other half; null if there is none, undefined before the search. */
  private partner: { readonly key: string; readonly isDate: boolean } | null | undefined;
  /** True if any record had all keys of `join`, or if any record lacked a key, respectively. */
  private hasCompleteRecord = false;
  private hasIncompleteRecord = false;

  /** @param isTable true for a table, in which a column next to the time may have any name */
  constructor(
    private readonly reading: Pick<Reading, 'join' | 'dates'>,
    private readonly isTable: boolean,
  ) {}

  /**
   * Returns a record's time, joined with its missing half if found.
   *
   * @param ownTime the time found by the mapping, with its key
   */
  timeOf(
    record: JsonObject,
    ownTime: { readonly text: string; readonly at: string } | undefined,
  ): WrittenTime | undefined {
    const { join } = this.reading;
    if (join !== undefined) {
      const parts = join.flatMap(
        (key) => wordOfJson(findValue(record, [key.split('.')])?.value) ?? [],
      );
      const isComplete = parts.length === join.length;
      this.hasCompleteRecord ||= isComplete;
      this.hasIncompleteRecord ||= !isComplete;
      if (!isComplete) return undefined;
      return { text: parts.join(' '), at: join };
    }
    if (ownTime === undefined) return undefined;
    this.partner ??= this.partner === undefined ? this.find(record, ownTime) : null;
    const text = this.partner === null ? undefined : textAt(record, this.partner.key);
    if (text === undefined || this.partner === null)
      return { text: ownTime.text, at: [ownTime.at] };
    const joinedText = this.partner.isDate ? `${text} ${ownTime.text}` : `${ownTime.text} ${text}`;
    return { text: joinedText, at: [ownTime.at, this.partner.key] };
  }

  /** Returns a message if no record had all keys of `join`; otherwise undefined. */
  mistake(): string | undefined {
    const { join } = this.reading;
    if (join === undefined || this.hasCompleteRecord || !this.hasIncompleteRecord) return undefined;
    return `"join": no event has all of ${join.map((key) => quote(key)).join(', ')}, so no event has a time`;
  }

  /**
   * Finds the key of a time's missing half: a key with a usual name for that half or, in a table, the only column with
   * such a half, if adjacent.
   */
  private find(record: JsonObject, ownTime: { readonly text: string; readonly at: string }) {
    const ownHalf = this.halfOf(ownTime.text);
    if (ownHalf === undefined) return null;
    const missingHalf: Half = ownHalf === 'date' ? 'time' : 'date';
    const words = missingHalf === 'date' ? DATE_WORDS : TIME_WORDS;
    const keys = Object.keys(record);
    const halves = keys.filter((key) => this.halfOf(textAt(record, key) ?? '') === missingHalf);
    const ownIndex = keys.indexOf(ownTime.at);
    const isAdjacent = (key: string) => Math.abs(keys.indexOf(key) - ownIndex) === 1;
    const key =
      halves.find((candidate) =>
        words.includes(candidate.toLowerCase().replace(/[^\p{L}]/gu, '')),
      ) ?? (this.isTable && halves.length === 1 ? halves.find(isAdjacent) : undefined);
    return key === undefined ? null : { key, isDate: missingHalf === 'date' };
  }

  /** Returns `date` or `time` if the text is only that half of a time; undefined for any other text. */
  private halfOf(text: string): Half | undefined {
    if (matchNumericTime(text) !== undefined) return undefined;
    const time = readCalendar(text, this.reading.dates);
    if (time === undefined || time.missing === 'year') return undefined;
    if (time.isDate) return 'date';
    return time.missing === 'date' ? 'time' : undefined;
  }
}

function textAt(record: JsonObject, key: string): string | undefined {
  const value: Json | undefined = record[key];
  return typeof value === 'string' ? value : undefined;
}
