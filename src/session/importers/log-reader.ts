import { quote } from '../../diagnostics/index.js';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObject,
  parseJson,
  pushTo,
} from '../../values/index.js';
import { setValue } from '../builder.js';
import { EventTable } from '../columns/event-table.js';
import { Lines, type TextLine } from '../lines.js';
import { Problems } from '../problem.js';
import type { Reading } from '../reading.js';
import { TIMELINE } from '../session.js';
import { addScalar, ImportedAttributes, itemsOf, walkJson } from './json-access.js';
import { LogClock } from './log-clock.js';
import { type Logger, lookUp, MAPPED, type MessageKeys, PARTS, wordOfJson } from './mapping.js';
import { plainLine, textLoggerOf } from './recognize-log.js';
import { TimePartner } from './time-halves.js';
import { DAY } from './times.js';
import { plainValue, WordKinds } from './word-kinds.js';

/** The events of a part of a log. */
export interface HandedOver {
  readonly table: EventTable;
  readonly problems: Problems;
  /** By the keys of messages, the events that send and receive them. */
  readonly sent: ReadonlyMap<string, readonly Message[]>;
  readonly received: ReadonlyMap<string, readonly Message[]>;
}

/** The usual spellings of ids, with their possible prefixes: `X-Request-ID`, `dd.trace_id`. */
const ID = /(?:^|[.])(?:x[-_])?(?:(?:b3[-_]|dd[._]|otel)?(trace|span)|req(?:uest)?)[-_.]?id$/i;

const PAIR = /([^\s="]+)=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'(?=\s|$)|([^\s"]*))/g;
/** RFC 5424's `[id key="value"]`; the part after the `@` of an id only names its owner. */
const STRUCTURED = /\[([^\s@\]]+)[^\s\]]*((?: [^\s="\]]+="(?:[^"\\]|\\.)*")*)\]/g;
/** The words of a message: `key=value`, or any other. */
const WORD =
  /(?:([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"(?=[,;]?(?:\s|$))|'((?:[^'\\]|\\.)*)'(?=[,;]?(?:\s|$))|((?!["'])[^\s"]*?)(?=[,;]?(?:\s|$)|[,;]\s*[A-Za-z_][\w.-]*=))|[^\s,;]+)[\s,;]*/g;
/** Maximum number of characters of continuation lines. */
const MOST_GONE_ON = 16_384;
const STACK = 'stack';
/** Docker splits a line into parts of 16 KiB, which have at least this many characters. */
const CUT = 4096;

const NO_TIME = 'whose time is neither ISO 8601 nor a count since 1970';
const CUT_OFF = 'whose end is missing';
export const NOT_UTF8 = 'not in UTF-8: convert the file, for example with iconv -f LATIN1 -t UTF-8';

/** An event that sends or receives a message. */
export interface Message {
  readonly event: number;
  readonly time: bigint | undefined;
}

/**
 * Reads a log line by line, as it arrives. Each line is an event. Events of a probe, or of a timeline if the
 * mapping names timelines, are in line order. Keys outside the mapping become attributes; ids of traces, spans and
 * requests become `trace.id`, `span.id` and `request.id` in any spelling.
 */
export class LogReader extends Lines {
  private readonly sent = new Map<string, Message[]>();
  private readonly received = new Map<string, Message[]>();
  /** Parts of a line that a container's log has split. */
  private readonly parts = new Map<string, string>();
  /** The formats of the containers' lines of text. */
  private readonly inners = new Map<string, Logger>();
  /** The first of two lines, until the second arrives; also by container. */
  private first = '';
  private readonly firsts = new Map<string, string>();
  /** Lines before the first event, such as a program's banner, and the first of them. */
  private banner: { lines: number; line: number; text: string } | undefined;
  private hasBegun = false;
  private goneOn: { event: number; text: string; stream: string } | undefined;
  /** The container of the current line. */
  private stream = '';
  /** True if pairs at the end of the current message are attributes. */
  private hasPairs = false;
  /** The time of the last event, the number of events earlier than the one before, and whether these are all. */
  private last: bigint | undefined;
  private back = 0;
  private readonly clock: LogClock;
  /** The file's first event. */
  private readonly begins: number;
  private readonly partner: TimePartner;
  private isNewestFirst = true;
  /** The keys of the current record whose texts may be values of another kind. */
  private readonly words = new Set<string>();
  private kinds = new WordKinds();

  /**
   * @param probe the probe of events that do not name one
   * @param table receives the events; pushing throws a {SessionError} if there are too many texts
   */
  constructor(
    private readonly logger: Logger,
    private readonly probe: string,
    private table: EventTable,
    private problems: Problems,
    reading: Reading = {},
  ) {
    super((line, number) => this.read(line, number));
    this.clock = new LogClock(reading, logger.unit, logger.mapping.layouts);
    this.partner = new TimePartner(reading, logger.id === 'csv');
    this.begins = table.size;
  }

  /** Adds the last line, the problems of all lines, and the interactions. */
  override finish(): void {
    super.finish();
    this.endStack();
    const cut = [...this.parts.values(), ...this.firsts.values(), this.first].filter(
      (text) => text !== '',
    );
    for (const text of cut) this.problems.addLine(CUT_OFF, undefined, text);
    this.endBanner();
    if (this.isNewestFirst && this.back > 1) {
      this.table.reversedFiles.add(this.table.files.length - 1);
      for (const senders of this.sent.values()) senders.reverse();
    }
    this.clock.settle(this.table, this.begins, this.problems);
    this.kinds.settle(this.table, this.begins);
    this.addJoinMistake();
    this.addInteractions();
  }

  /**
   * Hands over the events and problems so far, and continues with a new table. A line no longer continues an event
   * from before, and each value keeps its own kind.
   *
   * @param isLast true if nothing follows: undecided lines are then problems
   */
  handOver(isLast = false): HandedOver {
    this.endStack();
    const { table, problems } = this;
    if (isLast) {
      this.endBanner();
      this.clock.settle(new EventTable(), 0, problems);
      this.addJoinMistake();
    }
    const [sent, received] = [new Map(this.sent), new Map(this.received)];
    this.sent.clear();
    this.received.clear();
    this.kinds = new WordKinds();
    this.table = new EventTable();
    this.problems = new Problems();
    return { table, problems, sent, received };
  }

  private read(written: TextLine, line: number): void {
    if ('problem' in written) {
      this.problems.addLine(written.problem.replace('the line is not UTF-8', NOT_UTF8), line, '');
      return;
    }
    const plain = plainLine(written.text);
    if (plain.trim() === '' || this.logger.skips?.test(plain) === true) return;
    const before = this.first;
    this.first = this.logger.first?.test(plain) ? `${plain}\n` : '';
    if (this.first !== '') {
      if (before !== '') this.problems.addLine(CUT_OFF, line - 1, before);
      return;
    }
    const text = before + plain;
    this.words.clear();
    const record = recordOf(text, this.logger, this.words);
    if (record !== undefined) {
      const whole = this.joined(record);
      if (whole === undefined) return;
      this.endStack();
      if (!this.hasBegun) this.begin();
      this.add(whole, line, text);
      return;
    }
    if (this.logger.goesOn && this.goesOn(text)) return;
    if (!this.hasBegun) {
      this.banner ??= { lines: 0, line, text };
      this.banner.lines++;
      return;
    }
    this.addOther(line, text);
  }

  /** Counts the lines before the first event. */
  private begin(): void {
    this.hasBegun = true;
    if (this.banner === undefined) return;
    const { lines, line, text } = this.banner;
    this.banner = undefined;
    const what = lines === 1 ? 'a line' : `${lines} lines`;
    const message = `passed over ${what} before the first event: ${quote(text.trim())}`;
    this.problems.notes.push({ ...this.problems.place, line, message });
  }

  /** Without any event, the apparent banner is not part of the format. */
  private endBanner(): void {
    const { lines = 0, line, text = '' } = this.banner ?? {};
    for (let at = 0; at < lines; at++) this.addOther(line, text);
  }

  private addJoinMistake(): void {
    const message = this.partner.mistake();
    if (message !== undefined) this.problems.add('record', { count: 0, message });
  }

  /** Adds a line that is not an event. */
  private addOther(line: number | undefined, text: string): void {
    const { id, mapping, isLogfmt } = this.logger;
    const isOwn = id === MAPPED;
    if (mapping.pattern !== undefined)
      this.problems.addLine(
        isOwn ? 'that the pattern does not match' : `not in the form of ${id}`,
        line,
        text,
      );
    else
      this.problems.addLine(isLogfmt ? 'without key=value' : 'without a JSON object', line, text);
  }

  /** True if a line continues the previous event of the same container. */
  private goesOn(text: string): boolean {
    const { goneOn } = this;
    if (goneOn?.stream !== this.stream) return false;
    const room = MOST_GONE_ON - goneOn.text.length;
    if (room > 0) goneOn.text += `${text}\n`.slice(0, room);
    return true;
  }

  private endStack(): void {
    const { goneOn } = this;
    if (goneOn !== undefined && goneOn.text !== '') {
      setValue(this.table, STACK, goneOn.event, goneOn.text.trimEnd());
    }
    this.goneOn = undefined;
  }

  /** Returns the program's own output from its container's log; undefined for a part of a line. */
  private joined(record: JsonObject): JsonObject | undefined {
    const { inner, hasPairs = false } = this.logger;
    this.hasPairs = hasPairs;
    if (inner === undefined) return record;
    const { [inner]: written, part, ...wrapped } = record;
    const stream = [wrapped['container'], wrapped['stream']].map(wordOfJson).join(' ');
    const text = (this.parts.get(stream) ?? '') + (wordOfJson(written) ?? '');
    const isCut = this.logger.keys !== undefined && text.length >= CUT && !text.endsWith('\n');
    if (part === 'P' || isCut) {
      this.parts.set(stream, text);
      return undefined;
    }
    this.parts.delete(stream);
    const trimmed = plainLine(text.trimEnd());
    if (trimmed === '') return undefined;
    this.stream = stream;
    const json = membersIn(trimmed);
    this.hasPairs &&= json === undefined;
    if (json !== undefined) return { ...wrapped, ...json };
    const before = this.inners.get(stream);
    const first = this.firsts.get(stream);
    this.firsts.delete(stream);
    let both = first === undefined ? trimmed : `${first}\n${trimmed}`;
    const isSecond = first !== undefined && before?.mapping.pattern?.test(both) === true;
    if (first !== undefined && !isSecond) this.problems.addLine(CUT_OFF, undefined, first);
    let logger = isSecond ? before : textLoggerOf(trimmed, before);
    // The apparent time of the container may be the program's own.
    const stamped = `${wordOfJson(wrapped['time'])} ${trimmed}`;
    const own =
      logger === undefined && wrapped['time'] !== undefined
        ? textLoggerOf(stamped, before)
        : undefined;
    if (own?.goesOn === true && own.first === undefined) [logger, both] = [own, stamped];
    if (!isSecond && logger?.first?.test(trimmed) === true) {
      this.inners.set(stream, logger);
      this.firsts.set(stream, trimmed);
      return undefined;
    }
    if (logger === undefined) {
      return before?.goesOn && this.goesOn(trimmed) ? undefined : { ...wrapped, [inner]: trimmed };
    }
    this.inners.set(stream, logger);
    this.hasPairs = logger.hasPairs === true;
    const { name, probe, ...rest } = recordOf(both, logger, this.words) ?? {};
    // The time of the container has a date and a zone.
    const all = { ...rest, ...wrapped, ...(probe !== undefined && { logger: probe }) };
    // The first of the keys that may hold a message.
    return name === undefined ? all : besides({ msg: name }, all);
  }

  /**
   * Adds the event of a record.
   *
   * @param text the line as written
   * @param nanoseconds the time, if the mapping has none
   */
  add(record: JsonObject, line: number, text: string, nanoseconds?: bigint): void {
    const { table, logger } = this;
    const { parts, attributes: others, send, receive, isSendFirst } = logger.mapping;
    const values = PARTS.map((part) => lookUp(record, parts[part]));
    const [name, probe, time, seq, timeline] = values;
    // Programs also log events without text, which have a time or a level.
    const isTimed = time !== undefined || nanoseconds !== undefined;
    const says = logger.id !== MAPPED && (isTimed || record['level'] !== undefined);
    if (name === undefined && !says) {
      const what = logger.id === MAPPED ? 'without a name' : 'with neither name, time nor level';
      this.problems.addLine(what, line, text);
      return;
    }
    const place = wordOfJson(seq?.value);
    if (place !== undefined && !/^-?\d{1,18}$/.test(place)) {
      this.problems.addLine('whose seq is not an integer', line, place);
      return;
    }
    const written = this.partner.timeOf(
      record,
      time && { text: textOfTime(time.value), at: time.at },
    );
    const reading = written && this.clock.read(written.text, written.at[0] ?? '', table.size);
    if (written !== undefined && reading === undefined) {
      this.problems.addLine(NO_TIME, line, written.text || text);
      return;
    }
    const moment = written === undefined ? nanoseconds : reading?.moment;
    const message = messageOf(nameOf(name?.value), this.hasPairs);
    const called = message.name;
    const at = wordOfJson(probe?.value) ?? this.probe;
    const event = table.addEvent(at, called ?? 'log', line, wordOfJson(timeline?.value));
    if (moment !== undefined) table.time.addInteger(event, moment);
    if (place !== undefined) table.seq.addInteger(event, BigInt(place));
    this.passTime(place === undefined ? moment : undefined);
    const attributes = new ImportedAttributes();
    const used = new Set([...values.map((part) => part?.at), ...(written?.at ?? [])]);
    for (const [attribute, ways] of others) {
      const other = lookUp(record, ways);
      used.add(other?.at);
      if (typeof other?.value === 'string') {
        this.addWord(attributes, attribute, event, other.value, !this.isWord(other.at));
      } else attributes.addJson(attribute, other?.value);
    }
    const take = (key: string, json: Json) =>
      used.has(key) ||
      (typeof json === 'string'
        ? this.addWord(attributes, key, event, json)
        : addNamed(attributes, key, json));
    for (const [key, value] of Object.entries(record)) {
      if (logger.without?.test(key) !== true) walkJson(key, value, take);
    }
    for (const [key, value, isQuoted] of message.pairs) {
      this.addWord(attributes, key, event, value, isQuoted);
    }
    // Without timelines an attribute of that name is like any other.
    const renamed = parts.timeline.length === 0 ? `attribute.${TIMELINE}` : undefined;
    for (const [key, value] of attributes) {
      setValue(table, key === renamed ? TIMELINE : key, event, value);
    }
    const { stream } = this;
    const goesOn = (logger.inner === undefined ? logger : this.inners.get(stream))?.goesOn;
    if (goesOn) this.goneOn = { event, text: '', stream };
    const own = { event, time: moment };
    note(this.sent, send, called, record, own);
    if (!isSendFirst) note(this.received, receive, called, record, own);
  }

  /** True if the value of a key may be of another kind than text. */
  private isWord(key: string): boolean {
    return this.logger.id === 'csv' || this.words.has(key);
  }

  /** Adds a word as its own value. */
  private addWord(
    attributes: ImportedAttributes,
    key: string,
    event: number,
    word: string,
    isQuoted = !this.isWord(key),
  ): boolean {
    if (idName(key) !== key) return addNamed(attributes, key, word);
    const value = isQuoted ? word : plainValue(word);
    if (this.words.size > 0 || this.logger.id === 'csv') {
      this.kinds.note(attributes.nameFor(key), event, word, value);
    }
    return addNamed(attributes, key, value);
  }

  /** Tracks the order of the lines' times. The reverse order is certain only with dates. */
  private passTime(moment: bigint | undefined): void {
    const { last } = this;
    this.isNewestFirst &&= moment !== undefined && moment >= DAY && (last ?? moment) >= moment;
    if (last !== undefined && moment !== undefined && moment < last) this.back++;
    this.last = moment;
  }

  private addInteractions(): void {
    for (const [key, senders] of this.sent) {
      const isTimed = senders.every(({ time }) => time !== undefined);
      if (this.logger.mapping.isSendFirst && isTimed) {
        senders.sort((a, b) => Number((a.time as bigint) - (b.time as bigint)));
      }
      const [first, ...others] = senders as [Message, ...Message[]];
      const { probes, timelines } = this.table;
      const isElsewhere = ({ event }: Message) =>
        probes.at(event) !== probes.at(first.event) ||
        timelines.at(event) !== timelines.at(first.event);
      const receivers = this.logger.mapping.isSendFirst ? others : (this.received.get(key) ?? []);
      if (!this.logger.mapping.isSendFirst && others.some(isElsewhere)) {
        const message = `the message ${quote(key)} is sent at several probes, so it is not known from which of them it was received`;
        this.problems.add('interaction', { message });
        continue;
      }
      for (const { event } of receivers.filter(isElsewhere)) {
        this.table.addInteraction(first.event, event, 0);
      }
    }
    const isLost = ![...this.received.keys()].some((key) => this.sent.has(key));
    if (isLost && this.sent.size + this.received.size > 0 && !this.logger.mapping.isSendFirst) {
      const message =
        'no message is both sent and received: the keys of --send and --receive differ';
      this.problems.add('interaction', { message });
    }
  }
}

/** Adds a scalar, the ids of traces, spans and requests as texts; returns false for any other value. */
function addNamed(attributes: ImportedAttributes, key: string, json: Json): boolean {
  const own = idName(key);
  const word = own === key ? undefined : wordOfJson(json);
  if (word === undefined) return addScalar(attributes, key, json);
  if (attributes.get(own) !== word) attributes.add(own, word);
  return true;
}

type Pair = readonly [key: string, value: string, isQuoted: boolean];

/** Splits the pairs `key=value` off the end of a message. */
function messageOf(
  written: string | undefined,
  hasPairs: boolean,
): { readonly name: string | undefined; readonly pairs: readonly Pair[] } {
  if (!hasPairs || written?.includes('=') !== true) return { name: written, pairs: [] };
  let pairs: Pair[] = [];
  let end = 0;
  for (const match of written.matchAll(WORD)) {
    const [all, key, double, single, plain = ''] = match;
    const text = double ?? single;
    if (key !== undefined) {
      pairs.push([key, text === undefined ? plain : unescaped(text), text !== undefined]);
    } else {
      pairs = [];
      end = match.index + all.length;
    }
  }
  const name = written.slice(0, end).replace(/[\s,;:]+$/, '');
  return name === '' || pairs.length === 0 ? { name: written, pairs: [] } : { name, pairs };
}

/** Returns the standard name of an id in any spelling; any other name unchanged. */
function idName(key: string): string {
  const [id, kind = 'request'] = ID.exec(key) ?? [];
  return id === undefined ? key : `${kind.toLowerCase()}.id`;
}

function note(
  messages: Map<string, Message[]>,
  keys: MessageKeys,
  name: string | undefined,
  record: JsonObject,
  message: Message,
): void {
  const ways = keys.get(name) ?? keys.get(undefined);
  const key = ways && wordOfJson(lookUp(record, ways)?.value);
  if (key !== undefined) pushTo(messages, key, message);
}

/**
 * Returns the record of a line; undefined if the line is of another format.
 *
 * @param words receives the keys whose texts may be values of another kind
 */
function recordOf(
  text: string,
  { mapping, isLogfmt, texts = [] }: Logger,
  words: Set<string>,
): JsonObject | undefined {
  if (isLogfmt) return pairsOf(text, words);
  if (mapping.pattern === undefined) {
    const json = parseJson(text, { lastCounts: true });
    return 'problem' in json || !isJsonObject(json.value) ? undefined : json.value;
  }
  const match = mapping.pattern.exec(text);
  if (match === null) return undefined;
  const { json, pairs, structured = '', ...groups } = match.groups ?? {};
  // Logs write a dash for a missing value, except Redis, where it is a level.
  const entries = Object.entries(groups).filter(
    ([key, value = '']) => value !== '' && (value !== '-' || key === 'level'),
  );
  for (const [key] of entries) if (!texts.includes(key)) words.add(key);
  return besides(jsonObject(entries.map(([key, value = '']) => [key, value])), {
    ...(json !== undefined && (membersIn(json) ?? { json })),
    ...(pairs !== undefined && (pairsOf(pairs, words) ?? { pairs })),
    ...jsonObject(
      [...structured.matchAll(STRUCTURED)].flatMap(([, id = '', written = '']) =>
        Object.entries(pairsOf(written, words, `${id}.`) ?? {}),
      ),
    ),
  });
}

/** Merges more values into a record. A key in both becomes `attribute.KEY`. */
function besides(record: JsonObject, more: JsonObject): JsonObject {
  const entries = Object.entries(more).map(
    ([key, value]) => [Object.hasOwn(record, key) ? `attribute.${key}` : key, value] as const,
  );
  return { ...record, ...jsonObject(entries) };
}

/** Returns the members of a text that is a JSON object. */
function membersIn(text: string | undefined): JsonObject | undefined {
  if (!text?.startsWith('{')) return undefined;
  const json = parseJson(text, { lastCounts: true });
  return 'problem' in json || !isJsonObject(json.value) ? undefined : json.value;
}

/** Returns the values of `key=value key="a value"`; undefined without any. */
function pairsOf(text: string, words: Set<string>, prefix = ''): JsonObject | undefined {
  const pairs = [...text.matchAll(PAIR)].map(([, key = '', double, single, plain = '']) => {
    const written = double ?? single;
    if (written === undefined) {
      words.add(prefix + key);
      // The attribute's name, if the line itself has a part of that name.
      words.add(`attribute.${prefix}${key}`);
    }
    return [prefix + key, written === undefined ? plain : unescaped(written)] as const;
  });
  return pairs.length === 0 ? undefined : jsonObject(pairs);
}

function unescaped(written: string): string {
  const json = written.includes('\\') ? parseJson(`"${written}"`) : { value: written };
  return 'problem' in json ? written : String(json.value);
}

/** Returns the text of a time; log4j writes an object of seconds and nanoseconds. */
function textOfTime(json: Json): string {
  const { epochSecond, nanoOfSecond = 0 } = isJsonObject(json) ? json : ({} as JsonObject);
  if (epochSecond === undefined) return wordOfJson(json) ?? '';
  return `${wordOfJson(epochSecond)}.${wordOfJson(nanoOfSecond)?.padStart(9, '0')}`;
}

/** Returns a name, also of several texts. The journal writes one that is not plain text as its bytes. */
function nameOf(json: Json | undefined): string | undefined {
  const items = itemsOf(json);
  if (items.length === 0) return wordOfJson(json);
  const words = items.map(wordOfJson);
  const isBytes = items.every((item, at) => typeof item !== 'string' && Number(words[at]) < 256);
  return isBytes ? new TextDecoder().decode(Uint8Array.from(words, Number)) : words.join(' ');
}
