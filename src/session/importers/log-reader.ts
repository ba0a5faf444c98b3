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
import {
  findValue,
  type LogFormat,
  MAPPED_FORMAT,
  type MessageKeys,
  PARTS,
  wordOfJson,
} from './mapping.js';
import { cleanLine, recognizeTextLogFormat } from './recognize-log.js';
import { DateTimeJoiner } from './time-halves.js';
import { DAY } from './times.js';
import { convertWord, WordKinds } from './word-kinds.js';

/** The events, problems and messages in a part of a log. */
export interface LogPart {
  readonly table: EventTable;
  readonly problems: Problems;
  /** The events that send and receive messages, by message key. */
  readonly sentMessages: ReadonlyMap<string, readonly Message[]>;
  readonly receivedMessages: ReadonlyMap<string, readonly Message[]>;
}

/** Matches common spellings of trace, span and request ids, such as `X-Request-ID` and `dd.trace_id`. */
const ID = /(?:^|[.])(?:x[-_])?(?:(?:b3[-_]|dd[._]|otel)?(trace|span)|req(?:uest)?)[-_.]?id$/i;

const PAIR = /([^\s="]+)=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'(?=\s|$)|([^\s"]*))/g;
/**
 * Matches an RFC 5424 structured data element, `[id key="value"]`. Omits the enterprise number after the `@` in the id.
 */
const STRUCTURED = /\[([^\s@\]]+)[^\s\]]*((?: [^\s="\]]+="(?:[^"\\]|\\.)*")*)\]/g;
/** Matches a word in a message: a pair `key=value`, or other text. */
const WORD =
  /(?:([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"(?=[,;]?(?:\s|$))|'((?:[^'\\]|\\.)*)'(?=[,;]?(?:\s|$))|((?!["'])[^\s"]*?)(?=[,;]?(?:\s|$)|[,;]\s*[A-Za-z_][\w.-]*=))|[^\s,;]+)[\s,;]*/g;
/** Maximum number of characters in an event's continuation lines. */
const MAX_CONTINUATION = 16_384;
const STACK = 'stack';
/** Minimum number of characters in a part of a split line. Docker splits lines into parts of 16 KiB. */
const SPLIT_LENGTH = 4096;

const NO_TIME = 'whose time is neither ISO 8601 nor a count since 1970';
const MISSING_END = 'whose end is missing';
export const NOT_UTF8 = 'not in UTF-8: convert the file, for example with iconv -f LATIN1 -t UTF-8';

/** An event that sends or receives a message. */
export interface Message {
  readonly event: number;
  readonly time: bigint | undefined;
}

/**
 * Reads a log from a stream. Each line is an event. Events of a probe, or of a timeline if the mapping has timelines,
 * are in line order. Keys outside the mapping become attributes. Ids of traces, spans and requests become `trace.id`,
 * `span.id` and `request.id`, regardless of spelling.
 */
export class LogReader extends Lines {
  private readonly sentMessages = new Map<string, Message[]>();
  private readonly receivedMessages = new Map<string, Message[]>();
  /** The incomplete lines that containers' logs have split, by container. */
  private readonly parts = new Map<string, string>();
  /** The formats of the containers' text lines, by container. */
  private readonly innerLoggers = new Map<string, LogFormat>();
  /** The first line of an incomplete two-line event, in the log itself and by container. */
  private firstLine = '';
  private readonly firstLines = new Map<string, string>();
  /** The number of lines before the first event, such as a program's banner, and the first such line. */
  private banner: { lines: number; line: number; text: string } | undefined;
  private hasBegun = false;
  private continuation: { event: number; text: string; stream: string } | undefined;
  /** The container of the current line. */
  private stream = '';
  /** True if pairs at the end of the current message are attributes. */
  private hasPairs = false;
  /** The last event's time, and the number of events that are earlier than their predecessors. */
  private previousTime: bigint | undefined;
  private backSteps = 0;
  private readonly clock: LogClock;
  /** The file's first event. */
  private readonly firstEvent: number;
  private readonly partner: DateTimeJoiner;
  /** True while every event has a date and is no later than its predecessor. */
  private isNewestFirst = true;
  /** The current record's keys whose texts may stand for values of another kind. */
  private readonly words = new Set<string>();
  private kinds = new WordKinds();

  /**
   * @param probe the default probe, for events that do not name one
   * @param table receives the events, and throws a {SessionError} for too many texts
   */
  constructor(
    private readonly logger: LogFormat,
    private readonly probe: string,
    private table: EventTable,
    private problems: Problems,
    reading: Reading = {},
  ) {
    super((line, number) => this.read(line, number));
    this.clock = new LogClock(reading, logger.unit, logger.mapping.layouts);
    this.partner = new DateTimeJoiner(reading, logger.id === 'csv');
    this.firstEvent = table.size;
  }

  /** Reads the last line, applies decisions that depend on the whole log, and adds the interactions. */
  override finish(): void {
    super.finish();
    this.endStack();
    const incomplete = [...this.parts.values(), ...this.firstLines.values(), this.firstLine].filter(
      (text) => text !== '',
    );
    for (const text of incomplete) this.problems.addLine(MISSING_END, undefined, text);
    this.endBanner();
    if (this.isNewestFirst && this.backSteps > 1) {
      this.table.reversedFiles.add(this.table.files.length - 1);
      for (const senders of this.sentMessages.values()) senders.reverse();
    }
    this.clock.settle(this.table, this.firstEvent, this.problems);
    this.kinds.settle(this.table, this.firstEvent);
    this.addJoinMistake();
    this.addInteractions();
  }

  /**
   * Returns the events and problems so far, and continues with a new table. Later lines can neither continue these
   * events nor change the kinds of their values.
   *
   * @param isLast true at the end of the log. Reports undecided lines as problems
   */
  handOver(isLast = false): LogPart {
    this.endStack();
    const { table, problems } = this;
    if (isLast) {
      this.endBanner();
      this.clock.settle(new EventTable(), 0, problems);
      this.addJoinMistake();
    }
    const [sentMessages, receivedMessages] = [
      new Map(this.sentMessages),
      new Map(this.receivedMessages),
    ];
    this.sentMessages.clear();
    this.receivedMessages.clear();
    this.kinds = new WordKinds();
    this.table = new EventTable();
    this.problems = new Problems();
    return { table, problems, sentMessages, receivedMessages };
  }

  private read(textLine: TextLine, line: number): void {
    if ('problem' in textLine) {
      this.problems.addLine(textLine.problem.replace('the line is not UTF-8', NOT_UTF8), line, '');
      return;
    }
    const bare = cleanLine(textLine.text);
    if (bare.trim() === '' || this.logger.skippedLines?.test(bare) === true) return;
    const previousLine = this.firstLine;
    this.firstLine = this.logger.firstLine?.test(bare) ? `${bare}\n` : '';
    if (this.firstLine !== '') {
      if (previousLine !== '') this.problems.addLine(MISSING_END, line - 1, previousLine);
      return;
    }
    const text = previousLine + bare;
    this.words.clear();
    const record = parseRecord(text, this.logger, this.words);
    if (record !== undefined) {
      const unwrapped = this.unwrap(record);
      if (unwrapped === undefined) return;
      this.endStack();
      if (!this.hasBegun) this.begin();
      this.add(unwrapped, line, text);
      return;
    }
    if (this.logger.hasContinuations && this.continuesEvent(text)) return;
    if (!this.hasBegun) {
      this.banner ??= { lines: 0, line, text };
      this.banner.lines++;
      return;
    }
    this.addNonEvent(line, text);
  }

  /** Reports the number of lines before the first event. */
  private begin(): void {
    this.hasBegun = true;
    if (this.banner === undefined) return;
    const { lines, line, text } = this.banner;
    this.banner = undefined;
    const count = lines === 1 ? 'a line' : `${lines} lines`;
    const message = `skipped ${count} before the first event: ${quote(text.trim())}`;
    this.problems.notes.push({ ...this.problems.location, line, message });
  }

  /** Reports the lines of an apparent banner as problems, because no event followed. */
  private endBanner(): void {
    const { lines = 0, line, text = '' } = this.banner ?? {};
    for (let at = 0; at < lines; at++) this.addNonEvent(line, text);
  }

  private addJoinMistake(): void {
    const message = this.partner.mistake();
    if (message !== undefined) this.problems.add('record', { count: 0, message });
  }

  /** Adds a problem for a line that is not an event. */
  private addNonEvent(line: number | undefined, text: string): void {
    const { id, mapping, isLogfmt } = this.logger;
    const isUserMapping = id === MAPPED_FORMAT;
    if (mapping.pattern !== undefined)
      this.problems.addLine(
        isUserMapping ? 'not matched by the pattern' : `not in ${id} format`,
        line,
        text,
      );
    else
      this.problems.addLine(isLogfmt ? 'without key=value' : 'without a JSON object', line, text);
  }

  /** Adds a line to the previous event if both are from the same container; returns true if so. */
  private continuesEvent(text: string): boolean {
    const { continuation } = this;
    if (continuation?.stream !== this.stream) return false;
    const room = MAX_CONTINUATION - continuation.text.length;
    if (room > 0) continuation.text += `${text}\n`.slice(0, room);
    return true;
  }

  private endStack(): void {
    const { continuation } = this;
    if (continuation !== undefined && continuation.text !== '') {
      setValue(this.table, STACK, continuation.event, continuation.text.trimEnd());
    }
    this.continuation = undefined;
  }

  /** Extracts a program's record from a container's record; returns undefined if the output is not a complete event. */
  private unwrap(record: JsonObject): JsonObject | undefined {
    const { outputKey: inner, hasPairs = false } = this.logger;
    this.hasPairs = hasPairs;
    if (inner === undefined) return record;
    const { [inner]: output, part, ...envelope } = record;
    const stream = [envelope['container'], envelope['stream']].map(wordOfJson).join(' ');
    const text = (this.parts.get(stream) ?? '') + (wordOfJson(output) ?? '');
    const isSplit =
      this.logger.keys !== undefined && text.length >= SPLIT_LENGTH && !text.endsWith('\n');
    if (part === 'P' || isSplit) {
      this.parts.set(stream, text);
      return undefined;
    }
    this.parts.delete(stream);
    const outputLine = cleanLine(text.trimEnd());
    if (outputLine === '') return undefined;
    this.stream = stream;
    const json = parseMembers(outputLine);
    this.hasPairs &&= json === undefined;
    if (json !== undefined) return { ...envelope, ...json };
    const previousLogger = this.innerLoggers.get(stream);
    const firstLine = this.firstLines.get(stream);
    this.firstLines.delete(stream);
    let joinedLines = firstLine === undefined ? outputLine : `${firstLine}\n${outputLine}`;
    const isSecond =
      firstLine !== undefined && previousLogger?.mapping.pattern?.test(joinedLines) === true;
    if (firstLine !== undefined && !isSecond)
      this.problems.addLine(MISSING_END, undefined, firstLine);
    let logger = isSecond ? previousLogger : recognizeTextLogFormat(outputLine, previousLogger);
    // The container's apparent time may be part of the program's line.
    const stamped = `${wordOfJson(envelope['time'])} ${outputLine}`;
    const stampedLogger =
      logger === undefined && envelope['time'] !== undefined
        ? recognizeTextLogFormat(stamped, previousLogger)
        : undefined;
    if (stampedLogger?.hasContinuations === true && stampedLogger.firstLine === undefined)
      [logger, joinedLines] = [stampedLogger, stamped];
    if (!isSecond && logger?.firstLine?.test(outputLine) === true) {
      this.innerLoggers.set(stream, logger);
      this.firstLines.set(stream, outputLine);
      return undefined;
    }
    if (logger === undefined) {
      return previousLogger?.hasContinuations && this.continuesEvent(outputLine)
        ? undefined
        : { ...envelope, [inner]: outputLine };
    }
    this.innerLoggers.set(stream, logger);
    this.hasPairs = logger.hasPairs === true;
    const { name, probe, ...groups } = parseRecord(joinedLines, logger, this.words) ?? {};
    // The container's values take precedence, because the container's time has a date and a zone.
    const merged = { ...groups, ...envelope, ...(probe !== undefined && { logger: probe }) };
    // `msg` has priority over other keys for a message.
    return name === undefined ? merged : mergeRecords({ msg: name }, merged);
  }

  /**
   * Adds a record's event.
   *
   * @param text the line as written
   * @param nanoseconds the time in nanoseconds, if the mapping has no time
   */
  add(record: JsonObject, line: number, text: string, nanoseconds?: bigint): void {
    const { table, logger } = this;
    const {
      parts,
      attributes: attributePaths,
      send,
      receive,
      isFirstSender: isSendFirst,
    } = logger.mapping;
    const values = PARTS.map((part) => findValue(record, parts[part]));
    const [name, probe, time, seq, timeline] = values;
    // Programs also log events without text, but with a time or a level.
    const hasTime = time !== undefined || nanoseconds !== undefined;
    const isEvent = logger.id !== MAPPED_FORMAT && (hasTime || record['level'] !== undefined);
    if (name === undefined && !isEvent) {
      const missing =
        logger.id === MAPPED_FORMAT ? 'without a name' : 'with neither name, time nor level';
      this.problems.addLine(missing, line, text);
      return;
    }
    const seqText = wordOfJson(seq?.value);
    if (seqText !== undefined && !/^-?\d{1,18}$/.test(seqText)) {
      this.problems.addLine('whose seq is not an integer', line, seqText);
      return;
    }
    const timestamp = this.partner.timeOf(
      record,
      time && { text: textOfTime(time.value), at: time.at },
    );
    const reading = timestamp && this.clock.read(timestamp.text, timestamp.at[0] ?? '', table.size);
    if (timestamp !== undefined && reading === undefined) {
      this.problems.addLine(NO_TIME, line, timestamp.text || text);
      return;
    }
    const moment = timestamp === undefined ? nanoseconds : reading?.moment;
    const message = splitPairs(nameText(name?.value), this.hasPairs);
    const eventName = message.name;
    const at = wordOfJson(probe?.value) ?? this.probe;
    const event = table.addEvent(at, eventName ?? 'log', line, wordOfJson(timeline?.value));
    if (moment !== undefined) table.time.addInteger(event, moment);
    if (seqText !== undefined) table.seq.addInteger(event, BigInt(seqText));
    this.passTime(seqText === undefined ? moment : undefined);
    const attributes = new ImportedAttributes();
    const usedKeys = new Set([...values.map((part) => part?.at), ...(timestamp?.at ?? [])]);
    for (const [attribute, paths] of attributePaths) {
      const match = findValue(record, paths);
      usedKeys.add(match?.at);
      if (typeof match?.value === 'string') {
        this.addWord(attributes, attribute, event, match.value, !this.isWord(match.at));
      } else attributes.addJson(attribute, match?.value);
    }
    const take = (key: string, json: Json) =>
      usedKeys.has(key) ||
      (typeof json === 'string'
        ? this.addWord(attributes, key, event, json)
        : addNamed(attributes, key, json));
    for (const [key, value] of Object.entries(record)) {
      if (logger.ignoredKeys?.test(key) !== true) walkJson(key, value, take);
    }
    for (const [key, value, isQuoted] of message.pairs) {
      this.addWord(attributes, key, event, value, isQuoted);
    }
    // If the mapping has no timelines, `timeline` is an ordinary attribute.
    const timelineAttribute = parts.timeline.length === 0 ? `attribute.${TIMELINE}` : undefined;
    for (const [key, value] of attributes) {
      setValue(table, key === timelineAttribute ? TIMELINE : key, event, value);
    }
    const { stream } = this;
    const acceptsContinuation = (
      logger.outputKey === undefined ? logger : this.innerLoggers.get(stream)
    )?.hasContinuations;
    if (acceptsContinuation) this.continuation = { event, text: '', stream };
    const entry = { event, time: moment };
    noteMessage(this.sentMessages, send, eventName, record, entry);
    if (!isSendFirst) noteMessage(this.receivedMessages, receive, eventName, record, entry);
  }

  /** True if a key's text may stand for a value of another kind. */
  private isWord(key: string): boolean {
    return this.logger.id === 'csv' || this.words.has(key);
  }

  /** Adds a word as an attribute. Converts a word without quotes to its apparent kind of value. */
  private addWord(
    attributes: ImportedAttributes,
    key: string,
    event: number,
    word: string,
    isQuoted = !this.isWord(key),
  ): boolean {
    if (idName(key) !== key) return addNamed(attributes, key, word);
    const value = isQuoted ? word : convertWord(word);
    if (this.words.size > 0 || this.logger.id === 'csv') {
      this.kinds.note(attributes.nameFor(key), event, word, value);
    }
    return addNamed(attributes, key, value);
  }

  /** Tracks the order of the lines' times. Newest-first order is detected only if the times have dates. */
  private passTime(moment: bigint | undefined): void {
    const { previousTime: previous } = this;
    this.isNewestFirst &&= moment !== undefined && moment >= DAY && (previous ?? moment) >= moment;
    if (previous !== undefined && moment !== undefined && moment < previous) this.backSteps++;
    this.previousTime = moment;
  }

  private addInteractions(): void {
    for (const [key, senders] of this.sentMessages) {
      const areTimed = senders.every(({ time }) => time !== undefined);
      if (this.logger.mapping.isFirstSender && areTimed) {
        senders.sort((a, b) => Number((a.time as bigint) - (b.time as bigint)));
      }
      const [firstSender, ...laterSenders] = senders as [Message, ...Message[]];
      const { probes, timelines } = this.table;
      const isElsewhere = ({ event }: Message) =>
        probes.at(event) !== probes.at(firstSender.event) ||
        timelines.at(event) !== timelines.at(firstSender.event);
      const receivers = this.logger.mapping.isFirstSender
        ? laterSenders
        : (this.receivedMessages.get(key) ?? []);
      if (!this.logger.mapping.isFirstSender && laterSenders.some(isElsewhere)) {
        const message = `the message ${quote(key)} is sent at several probes, so its sender is ambiguous`;
        this.problems.add('interaction', { message });
        continue;
      }
      for (const { event } of receivers.filter(isElsewhere)) {
        this.table.addInteraction(firstSender.event, event, 0);
      }
    }
    const isLost = ![...this.receivedMessages.keys()].some((key) => this.sentMessages.has(key));
    if (
      isLost &&
      this.sentMessages.size + this.receivedMessages.size > 0 &&
      !this.logger.mapping.isFirstSender
    ) {
      const message =
        'no message is both sent and received: the keys of --send and --receive differ';
      this.problems.add('interaction', { message });
    }
  }
}

/**
 * Adds a scalar; returns false for any other value. Adds ids of traces, spans and requests as strings, by their
 * standard names.
 */
function addNamed(attributes: ImportedAttributes, key: string, json: Json): boolean {
  const idKey = idName(key);
  const word = idKey === key ? undefined : wordOfJson(json);
  if (word === undefined) return addScalar(attributes, key, json);
  if (attributes.get(idKey) !== word) attributes.add(idKey, word);
  return true;
}

type Pair = readonly [key: string, value: string, isQuoted: boolean];

/** Splits a message into its text and the pairs `key=value` at its end. */
function splitPairs(
  text: string | undefined,
  hasPairs: boolean,
): { readonly name: string | undefined; readonly pairs: readonly Pair[] } {
  if (!hasPairs || text?.includes('=') !== true) return { name: text, pairs: [] };
  let pairs: Pair[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const [matchText, key, doubleQuoted, singleQuoted, bare = ''] = match;
    const text = doubleQuoted ?? singleQuoted;
    if (key !== undefined) {
      pairs.push([key, text === undefined ? bare : unescapeText(text), text !== undefined]);
    } else {
      pairs = [];
      end = match.index + matchText.length;
    }
  }
  const name = text.slice(0, end).replace(/[\s,;:]+$/, '');
  return name === '' || pairs.length === 0 ? { name: text, pairs: [] } : { name, pairs };
}

/** Returns the standard name for any spelling of an id; returns other names unchanged. */
function idName(key: string): string {
  const [id, kind = 'request'] = ID.exec(key) ?? [];
  return id === undefined ? key : `${kind.toLowerCase()}.id`;
}

function noteMessage(
  messages: Map<string, Message[]>,
  keys: MessageKeys,
  name: string | undefined,
  record: JsonObject,
  message: Message,
): void {
  const paths = keys.get(name) ?? keys.get(undefined);
  const key = paths && wordOfJson(findValue(record, paths)?.value);
  if (key !== undefined) pushTo(messages, key, message);
}

/**
 * Parses a line as a record; returns undefined if the line has another format.
 *
 * @param words receives the keys whose texts may stand for values of another kind
 */
function parseRecord(
  text: string,
  { mapping, isLogfmt, texts = [] }: LogFormat,
  words: Set<string>,
): JsonObject | undefined {
  if (isLogfmt) return parsePairs(text, words);
  if (mapping.pattern === undefined) {
    const json = parseJson(text, { lastCounts: true });
    return 'problem' in json || !isJsonObject(json.value) ? undefined : json.value;
  }
  const match = mapping.pattern.exec(text);
  if (match === null) return undefined;
  const { json, pairs, structured = '', ...groups } = match.groups ?? {};
  // A dash stands for a missing value, except in Redis's logs, where it is a level.
  const entries = Object.entries(groups).filter(
    ([key, value = '']) => value !== '' && (value !== '-' || key === 'level'),
  );
  for (const [key] of entries) if (!texts.includes(key)) words.add(key);
  return mergeRecords(jsonObject(entries.map(([key, value = '']) => [key, value])), {
    ...(json !== undefined && (parseMembers(json) ?? { json })),
    ...(pairs !== undefined && (parsePairs(pairs, words) ?? { pairs })),
    ...jsonObject(
      [...structured.matchAll(STRUCTURED)].flatMap(([, id = '', written = '']) =>
        Object.entries(parsePairs(written, words, `${id}.`) ?? {}),
      ),
    ),
  });
}

/** Merges additional values into a record. Renames an added key that the record already has to `attribute.KEY`. */
function mergeRecords(record: JsonObject, additions: JsonObject): JsonObject {
  const entries = Object.entries(additions).map(
    ([key, value]) => [Object.hasOwn(record, key) ? `attribute.${key}` : key, value] as const,
  );
  return { ...record, ...jsonObject(entries) };
}

/** Parses a JSON object; returns undefined for any other text. */
function parseMembers(text: string | undefined): JsonObject | undefined {
  if (!text?.startsWith('{')) return undefined;
  const json = parseJson(text, { lastCounts: true });
  return 'problem' in json || !isJsonObject(json.value) ? undefined : json.value;
}

/** Parses pairs such as `key=value key="a value"`; returns undefined if there are none. */
function parsePairs(text: string, words: Set<string>, prefix = ''): JsonObject | undefined {
  const pairs = [...text.matchAll(PAIR)].map(
    ([, key = '', doubleQuoted, singleQuoted, bare = '']) => {
      const quoted = doubleQuoted ?? singleQuoted;
      if (quoted === undefined) {
        words.add(prefix + key);
        // `mergeRecords` renames the key if the line already has a part of that name.
        words.add(`attribute.${prefix}${key}`);
      }
      return [prefix + key, quoted === undefined ? bare : unescapeText(quoted)] as const;
    },
  );
  return pairs.length === 0 ? undefined : jsonObject(pairs);
}

function unescapeText(escaped: string): string {
  const json = escaped.includes('\\') ? parseJson(`"${escaped}"`) : { value: escaped };
  return 'problem' in json ? escaped : String(json.value);
}

/** Returns a time as text. Joins log4j's seconds and nanoseconds. */
function textOfTime(json: Json): string {
  const { epochSecond, nanoOfSecond = 0 } = isJsonObject(json) ? json : ({} as JsonObject);
  if (epochSecond === undefined) return wordOfJson(json) ?? '';
  return `${wordOfJson(epochSecond)}.${wordOfJson(nanoOfSecond)?.padStart(9, '0')}`;
}

/**
 * Returns a name as text. Joins the items of an array, or decodes an array of bytes, which the systemd journal writes
 * for a name that is not plain text.
 */
function nameText(json: Json | undefined): string | undefined {
  const items = itemsOf(json);
  if (items.length === 0) return wordOfJson(json);
  const words = items.map(wordOfJson);
  const isBytes = items.every((item, at) => typeof item !== 'string' && Number(words[at]) < 256);
  return isBytes ? new TextDecoder().decode(Uint8Array.from(words, Number)) : words.join(' ');
}
