import { isSwapped, quote } from '../../diagnostics/index.js';
import { type Json, type JsonObject, numberText } from '../../values/index.js';
import { itemsOf, membersOf } from './json-access.js';

/**
 * Where the parts of an event are in a record, as people write it: `name`, `probe`, `time`, `seq` and
 * `timeline`; any other key is an attribute of that name. A value is `$.a.b`, `$["a b"]`, a `'text'`, or
 * several of these separated by `|`, of which the first that is present counts.
 */
export type MappingFields = Readonly<Record<string, string>>;

/** How records of a log become events. */
export interface MappingText {
  /** A regular expression whose named groups are the record; JSON Lines if absent. */
  readonly pattern?: string;
  readonly fields?: MappingFields;
  /**
   * The key of a message that the event sends, and of one that it receives: `$.id`, or
   * `NAME=$.id,...` for events of that name. Events with equal keys form an interaction.
   */
  readonly send?: string;
  readonly receive?: string;
}

/** A path into a record, by its keys; or a fixed text. */
type JsonWay = readonly string[] | string;

/** Where the key of a message is, by the name of the event; undefined stands for all names. */
export type MessageKeys = ReadonlyMap<string | undefined, readonly JsonWay[]>;

/** A mapping, ready for use. */
export interface Mapping {
  readonly pattern?: RegExp | undefined;
  readonly parts: Readonly<Record<(typeof PARTS)[number], readonly JsonWay[]>>;
  readonly attributes: ReadonlyMap<string, readonly JsonWay[]>;
  readonly send: MessageKeys;
  readonly receive: MessageKeys;
  /** Whether both are the same, so that the first event with a key is the one that sent it. */
  readonly isSendFirst: boolean;
}

export const PARTS = ['name', 'probe', 'time', 'seq', 'timeline'] as const;

/** Where the parts are in a pattern, unless a mapping says otherwise. */
const GROUPS = {
  name: '$.name|$.event',
  probe: '$.probe|$.host',
  time: '$.time',
  seq: '$.seq',
  timeline: '$.timeline',
} as const;

const FIELD = /\s*([^=,]*[^\s=,])\s*=((?:'[^']*'|"[^"]*"|[^,'"])+)(?:,|$)/y;
const WAY =
  /\s*(?:\$((?:\.[^\s.,|[\]"'=]+|\[\d+\]|\["[^"]*"\]|\['[^']*'\])+)|"([^"]*)"|'([^']*)')\s*(?:\||$)/y;
const STEP = /\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g;

/** What is wrong with a mapping, and with which part: a field, `pattern`, `send` or `receive`. */
export class MappingError extends SyntaxError {
  constructor(
    message: string,
    readonly part?: string,
  ) {
    super(part === undefined || part === 'pattern' ? message : `${part}: ${message}`);
  }
}

/** The fields of `name=$.msg,probe=$.service`. @throws {MappingError} for any other text */
export function parseFields(text: string, part?: string): MappingFields {
  const matches = whole(text, FIELD);
  if (matches === undefined) {
    throw new MappingError(`${quote(text)} is not like name=$.msg,time=$.ts`, part);
  }
  const fields = new Map<string, string>();
  for (const [, field = '', way = ''] of matches) {
    if (fields.has(field)) {
      const message = 'it is given twice; $.a|$.b takes the first of two that an event has';
      throw new MappingError(message, part ?? field);
    }
    fields.set(field, way.trim());
  }
  return Object.fromEntries(fields);
}

/**
 * The mapping that a user describes.
 *
 * @throws {MappingError} as `compileMapping` does, and for a field that is surely a mistake
 */
export function compileOwnMapping(text: MappingText): Mapping {
  const mapping = compileMapping(text);
  const groups = groupsOf(text.pattern);
  for (const [field, written] of Object.entries(text.fields ?? {})) {
    const meant = [...PARTS, 'send', 'receive', 'pattern'].find((part) => isSwapped(field, part));
    if (meant !== undefined) {
      throw new MappingError(`did you mean "${meant}"? Any other name is an attribute`, field);
    }
    const isThere = (way: JsonWay) => typeof way === 'string' || groups?.has(way[0] as string);
    if (groups !== undefined && !waysOf(written, field).some(isThere) && !isOpen(groups)) {
      const message = `the pattern has no group ${written.replace(/^\$\.?/, '')}, only ${[...groups].join(', ')}`;
      throw new MappingError(message, field);
    }
  }
  return mapping;
}

/** Whether there may be keys other than groups, in what `json` and `pairs` hold. */
function isOpen(groups: ReadonlySet<string>): boolean {
  return groups.has('json') || groups.has('pairs');
}

/** @throws {MappingError} says what is wrong, and in which part */
export function compileMapping({ pattern, fields = {}, send, receive }: MappingText): Mapping {
  const groups = groupsOf(pattern);
  const known = pattern === undefined ? {} : GROUPS;
  const ways = new Map(
    Object.entries<string>({ ...known, ...fields }).map(([field, text]) => [
      field,
      waysOf(text, field),
    ]),
  );
  const taken = PARTS.map((part) => [part, ways.get(part) ?? []] as const);
  const parts = Object.fromEntries(taken) as unknown as Mapping['parts'];
  for (const part of PARTS) ways.delete(part);
  const names = parts.name.filter(
    (way) =>
      typeof way === 'string' || groups === undefined || groups.has(way[0] ?? '') || isOpen(groups),
  );
  if (names.length === 0) {
    if (pattern !== undefined && fields['name'] === undefined)
      throw new MappingError('the pattern lacks a group (?<name>...)', 'pattern');
    if (pattern === undefined)
      throw new MappingError('it does not say where the name of an event is: name=$.msg');
  }
  const group = (name: string) => (groups?.has(name) ? `$.${name}` : undefined);
  const [sent, received] = [send ?? group('send'), receive ?? group('receive')];
  if ((sent === undefined) !== (received === undefined)) {
    const given = sent === undefined ? 'receive' : 'send';
    throw new MappingError('messages are sent and received: give both or neither', given);
  }
  return {
    ...(pattern !== undefined && { pattern: new RegExp(pattern) }),
    parts,
    attributes: ways,
    send: keysOf(sent, 'send'),
    receive: keysOf(received, 'receive'),
    isSendFirst: sent === received,
  };
}

/** The names of the groups of a pattern. */
function groupsOf(pattern: string | undefined): ReadonlySet<string> | undefined {
  if (pattern === undefined) return undefined;
  try {
    new RegExp(pattern);
    // A match of anything lists all groups.
    const { groups = {} } = new RegExp(`${pattern}|`).exec('') ?? {};
    return new Set(Object.keys(groups));
  } catch (error) {
    throw new MappingError((error as Error).message, 'pattern');
  }
}

function keysOf(text: string | undefined, part: string): MessageKeys {
  if (text === undefined) return new Map();
  if (/^\s*[$'"]/.test(text)) return new Map([[undefined, waysOf(text, part)]]);
  const fields = Object.entries(parseFields(text, part));
  return new Map(fields.map(([name, way]) => [name, waysOf(way, part)]));
}

function waysOf(text: string, part: string): readonly JsonWay[] {
  const matches = whole(text, WAY);
  if (matches === undefined) {
    throw new MappingError(`${quote(text)} is neither a path such as $.msg nor a 'text'`, part);
  }
  return matches.map(([, path, double, single]) =>
    path === undefined
      ? (double ?? single ?? '')
      : [...path.matchAll(STEP)].map(([, ...keys]) => keys.find((key) => key !== undefined) ?? ''),
  );
}

/** The matches that make up a whole text; undefined if there is anything else in it. */
function whole(text: string, part: RegExp): readonly RegExpExecArray[] | undefined {
  const matches: RegExpExecArray[] = [];
  for (part.lastIndex = 0; part.lastIndex < text.length; ) {
    const match = part.exec(text);
    if (match === null) return undefined;
    matches.push(match);
  }
  return matches.length === 0 || /[,|]\s*$/.test(text) ? undefined : matches;
}

/** What a record has there, and under which dotted name; `a.b` may also be a single key. */
export function lookUp(
  record: JsonObject,
  ways: readonly JsonWay[],
): { readonly value: Json; readonly at: string } | undefined {
  for (const way of ways) {
    if (typeof way === 'string') return { value: way, at: '' };
    const at = way.length === 1 ? (way[0] as string) : way.join('.');
    const value = memberAt(record, way) ?? (Object.hasOwn(record, at) ? record[at] : undefined);
    if (value !== undefined && value !== null && value !== '') return { value, at };
  }
  return undefined;
}

function memberAt(record: JsonObject, way: readonly string[]): Json | undefined {
  let at: Json | undefined = record;
  for (const key of way) {
    if (Array.isArray(at)) at = itemsOf(at)[Number(key)];
    else at = Object.hasOwn(membersOf(at), key) ? membersOf(at)[key] : undefined;
  }
  return at;
}

/** A text, a boolean, or a number as it is written. */
export function wordOfJson(json: Json | undefined): string | undefined {
  if (json === undefined || typeof json === 'string') return json;
  if (typeof json === 'boolean') return String(json);
  return numberText(json);
}

/** A log format: how its lines are recognized, and how they become events. */
export interface Logger {
  readonly id: string;
  readonly mapping: Mapping;
  /** For JSON Lines: keys that every line has. */
  readonly keys?: readonly string[];
  /** Whether lines are `key=value ...`, rather than JSON or what the pattern matches. */
  readonly isLogfmt?: boolean;
  /** Whether a line that does not match continues the one before it, as in a stack trace. */
  readonly goesOn?: boolean;
  /** The key of what the program itself wrote, which may be JSON and may be split into parts. */
  readonly inner?: string;
  /** Keys that say nothing about what happened. */
  readonly without?: RegExp;
  /** Matches the first line, if an event has two. */
  readonly first?: RegExp;
}

const DATE = String.raw`\d{4}[-/]\d\d[-/]\d\d`;
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d+)?`;
const SLASHED = String.raw`\d{4}\/\d\d\/\d\d ${CLOCK}`;
const ZONE = String.raw`(?:Z| ?[+-]\d\d:?\d\d)?`;
const TIME = `(?<time>(?:${DATE}[T ])?${CLOCK}${ZONE})`;
const LEVEL =
  '(?<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|FINE|FINER|FINEST)';
/** What docker, kubectl and the like put before a line, with nanoseconds or without. */
const STAMP = String.raw`(?<time>${DATE}T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))`;
const WRITTEN = String.raw`(?:[^"\\]|\\.)*`;
/** What klog and glog write at the beginning of a file. */
export const KLOG_HEADING =
  /^(?:Log file created at|Running on machine|Application fingerprint|Running duration \(h:mm:ss\)|Binary|Previous log|Log line format): /;

/** What programs write as JSON, whatever logger they use. */
const ANY =
  'name=$.msg|$.message|$.event|$.log,probe=$.service|$.service.name|$.app|$.name|$.logger|$.container_name|$.hostname,time=$.time|$.ts|$.timestamp|$.@timestamp';

/** JSON Lines: the keys that identify the format, and its fields. */
const JSON_LOGGERS: readonly (readonly [string, string, string])[] = [
  ['docker', 'log stream time', ANY],
  [
    'journald',
    '__REALTIME_TIMESTAMP',
    'name=$.MESSAGE,probe=$.SYSLOG_IDENTIFIER|$._SYSTEMD_UNIT|$._COMM,time=$.__REALTIME_TIMESTAMP',
  ],
  ['bunyan', 'name hostname pid level time v', 'name=$.msg,probe=$.name,time=$.time'],
  ['pino', 'level time pid hostname', 'name=$.msg,probe=$.name|$.service|$.hostname,time=$.time'],
  ['zap', 'level ts msg', 'name=$.msg,probe=$.service|$.app|$.logger,time=$.ts'],
  ['logrus', 'level msg time', 'name=$.msg,probe=$.service|$.app|$.name,time=$.time'],
  [
    'log4j',
    '@timestamp message',
    'name=$.message,probe=$.service.name|$.service|$.app|$.logger_name|$.log.logger,time=$.@timestamp',
  ],
  [
    'log4j',
    'instant loggerName level message',
    'name=$.message,probe=$.service|$.loggerName,time=$.timeMillis|$.instant',
  ],
  ['structlog', 'event timestamp', 'name=$.event,probe=$.service|$.app|$.logger,time=$.timestamp'],
  [
    'python',
    'message levelname',
    'name=$.message,probe=$.service|$.name,time=$.asctime|$.created|$.timestamp',
  ],
  [
    'winston',
    'level message',
    'name=$.message,probe=$.service|$.label|$.name,time=$.timestamp|$.time',
  ],
  [
    'winston',
    '@message @fields',
    'name=$.@message,probe=$.@fields.service|$.@fields.label,time=$.@timestamp',
  ],
  ['zap', 'severity message', ANY],
  ['python', 'message timestamp', ANY],
  ['pino', 'level msg', 'name=$.msg,probe=$.name|$.service,time=$.time'],
];

/** Lines of other programs look like this too: it is used only if no other format fits. */
const LEAST = 'go';

/** Formats in which every line is an event; in others a line may continue the one before. */
const BY_LINE = ['kubernetes', 'docker', 'syslog', 'nginx', 'logrus'];

/** Text: the pattern of its lines. Unlike `.*`, `[^\n]*` always reaches the end. */
const TEXT_LOGGERS: readonly (readonly [string, ...string[]])[] = [
  [
    'kubernetes',
    String.raw`^\[pod\/(?<container>[^\/\]\s]+\/[^\]\s]+)\](?: ${STAMP})? (?<log>.*)$`,
  ],
  ['docker', String.raw`^(?<container>[a-zA-Z][\w.-]*) *\|(?: ${STAMP}(?= |$))? ?(?<log>.*)$`],
  [
    'kubernetes',
    `^(?<time>${DATE}T${CLOCK}${ZONE}) (?<stream>stdout|stderr) (?<part>[FP])(?: (?<log>.*))?$`,
  ],
  [
    'syslog',
    String.raw`^<(?<priority>\d{1,3})>1 (?<time>\S+) (?<host>\S+) (?<app>\S+) (?<pid>\S+) (?<message_id>\S+) (?<structured>-|(?:\[(?:[^\]"]|"${WRITTEN}")*\])+)(?: \ufeff?(?<name>.*))?$`,
    String.raw`^(?:<(?<priority>\d{1,3})>)?(?<time>[A-Z][a-z]{2} [ \d]\d ${CLOCK}|${DATE}T${CLOCK}${ZONE}) (?<host>[^\s[\]]+) (?<app>[^\s:[\]]+)(?:\[(?<pid>\d+)\])?: (?<name>.*)$`,
  ],
  [
    'nginx',
    String.raw`^(?<client>\S+) (?<ident>\S+) (?<user>\S+) \[(?<time>\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "(?<name>${WRITTEN})" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referer>${WRITTEN})" "(?<agent>${WRITTEN})")?(?: (?<more>.*))?$`,
    // ngx_log_error_core of nginx's ngx_log.c, and after the text what ngx_http_log_error adds.
    String.raw`^(?<time>${SLASHED}) \[(?<level>[a-z]+)\] (?<pid>\d+)#(?<thread>\d+): (?:\*(?<connection>\d+) )?(?<name>[^\n]*?)(?:, client: (?<client>[^,]+)(?:, server: (?<server>[^,]*))?(?:, request: "(?<request>[^"]*)")?(?:, upstream: "(?<upstream>[^"]*)")?(?:, host: "(?<host>[^"]*)")?(?<more>, [^\n]*)?)?$`,
  ],
  // DEFAULT_FORMAT of the JDK's SimpleConsoleLogger.java; java.util.logging's SimpleFormatter has it too.
  [
    'java',
    String.raw`^(?<time>[A-Z][a-z]{2} \d\d, \d{4} \d{1,2}:\d\d:\d\d [AP]M) (?<probe>\S+)(?: (?<function>\S+))?\n(?<level>[^\s:]+): (?<name>[^\n]*)$`,
  ],
  // FormatHeader of klog's buffer.go; glog's has a year. Keys and values may follow a text in quotes.
  [
    'klog',
    String.raw`^(?<level>[IWEF])(?<time>\d{4}(?:\d{4})? ${CLOCK}) +(?<pid>\d+) (?<caller>[^\s\]]+:\d+)\] "?(?<name>(?<=\] ")${WRITTEN}(?="(?: [^\s="]+=|$))|(?<=\] )[^\n]*)(?:"(?: (?<pairs>[^\n]+))?)?$`,
  ],
  // The log_line_prefix of postgresql.conf.sample, with or without Debian's user and database; see elog.c.
  [
    'postgresql',
    String.raw`^(?<time>\d{4}-\d\d-\d\d ${CLOCK}(?: (?:UTC|GMT|[+-]\d\d(?:\d\d)?))?)(?: (?<zone>[A-Z]{3,5}))? \[(?<pid>\d+)\](?: (?<user>[^\s@]*)@(?<database>\S*))? (?<level>[^\s:]+):  (?<name>.*)$`,
  ],
  // serverLogRaw and serverLogRawFromHandler of Redis's server.c.
  [
    'redis',
    String.raw`^(?<pid>\d+):(?<role>[XCSM]|signal-handler) \(?(?<time>\d{10}|\d\d [A-Z][a-z]{2} \d{4} ${CLOCK})\)? (?:(?<level>[.*#-]) )?(?<name>.*)$`,
  ],
  [
    'log4j',
    String.raw`^${TIME} +${LEVEL} +(?<pid>\d+) --- (?:\[[^\]]*\] )*?\[ *(?<thread>[^\]]*)\] (?<probe>\S+) *: (?<name>.*)$`,
    String.raw`^${TIME} +\[(?<thread>[^\]]*)\] +${LEVEL} +(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
    String.raw`^${TIME} +${LEVEL} +(?:\[(?<thread>[^\]]*)\] +)(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
    String.raw`^${TIME} +\[?${LEVEL}\]? +(?<probe>[\w$.]+(?:::[\w$]+)*)(?::(?<line>\d+))?(?: +-|:) +(?<name>.*)$`,
    String.raw`^\[${TIME}\] \[${LEVEL}\] (?<probe>[\w.:/-]+) - (?<name>.*)$`,
  ],
  [
    'pino',
    String.raw`^\[${TIME}\] ${LEVEL}(?: \((?:(?:(?<probe>[^/()]+)\/)?(?<pid>\d+)(?: on (?<hostname>[^()]+))?|(?<service>[^()]+))\))?: (?<name>.*?)(?: (?<json>\{.*\}))?$`,
  ],
  ['python', String.raw`^${TIME} - (?<probe>\S+) - ${LEVEL} - (?<name>.*)$`],
  [
    'python',
    String.raw`^${TIME} \| ${LEVEL} +\| (?<probe>[^\s:]+):(?<function>[^\s:]+):(?<line>\d+) - (?<name>.*)$`,
  ],
  ['python', String.raw`^\[${TIME}\] \[${LEVEL}\] \[(?<probe>[^\]]+)\] (?<name>.*)$`],
  ['python', String.raw`^\[${TIME}\] \[(?<pid>\d+)\] \[${LEVEL}\] (?<name>.*)$`],
  ['python', String.raw`^\[${TIME}: ${LEVEL}\/(?<process>[^\]]+)\] (?<name>.*)$`],
  ['python', `^${TIME}:${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`],
  ['python', `^${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`],
  ['python', String.raw`^\[${TIME}\] ${LEVEL} in (?<probe>\S+): (?<name>.*)$`],
  [
    'zap',
    String.raw`^(?<time>${DATE}T${CLOCK}${ZONE})\t(?<level>[A-Za-z]+)\t(?:(?<probe>[\w.-]+)\t)?(?:(?<caller>[^\t]+:\d+)\t)?(?<name>[^\t]*)(?:\t(?<json>\{.*\}))?$`,
  ],
  [
    'structlog',
    String.raw`^${TIME} \[(?<level>debug|info|warn|warning|error|critical|exception) *\] (?<name>.*?)(?:  +(?:\[(?<probe>[\w.]+)\] *)?(?<pairs>[^\s=]+=.*)?)?$`,
  ],
  [
    'logrus',
    String.raw`^(?<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[(?:${STAMP}|(?<elapsed>\d+))\] (?<name>.*?)(?: +(?<pairs>[^\s=]+=.*)?)?$`,
    String.raw`^(?<time>${DATE}T${CLOCK}${ZONE}|\d{1,2}:\d\d[AP]M) (?<level>TRC|DBG|INF|WRN|ERR|FTL|PNC) (?<name>.*?)(?: (?<pairs>[^\s=]+=.*))?$`,
  ],
  ['python', String.raw`^\[?${TIME}\]? +\[?${LEVEL}\]? *:? +(?<name>.*)$`],
  ['python', `^${LEVEL}: +(?<name>.*)$`],
  [
    'winston',
    String.raw`^(?:${TIME} +)?(?:\[(?<probe>[^\]]*)\] +)?(?<level>error|warn|info|http|verbose|debug|silly): +(?<name>.*?)(?: (?<json>\{.*\}))?$`,
  ],
  ['docker', String.raw`^(?<time>${DATE}T\d\d:\d\d:\d\d\.\d{7,9}Z) (?<log>.*)$`],
  // formatHeader of Go's log.go, with its usual flags; many put a level before the text.
  [
    LEAST,
    String.raw`^(?<time>${SLASHED}) (?:(?<caller>\S+\.go:\d+): )?(?:\[?${LEVEL}\]?:? +)?(?<name>.*)$`,
  ],
];

const OF_TEXT =
  'name=$.name|$.message_id,probe=$.probe|$.app|$.service|$.label,time=$.time|$.timestamp';
/** For pairs about other things: a service among them is not the one that wrote the line. */
const OF_OBJECTS = 'name=$.name,time=$.time';
const CONTAINER = ANY.replace('probe=', 'probe=$.container|');

let table: readonly Logger[] | undefined;

/** The known formats, the most specific first. */
export function loggers(): readonly Logger[] {
  table ??= [
    ...JSON_LOGGERS.map(([id, keys, fields]) => ({
      id,
      keys: keys.split(' '),
      mapping: compileMapping({ fields: parseFields(fields) }),
      ...(id === 'docker' && { inner: 'log' }),
      ...(id === 'journald' && { without: /^__/ }),
    })),
    ...TEXT_LOGGERS.flatMap(([id, ...patterns]) =>
      patterns.map((pattern) => {
        const goesOn = !BY_LINE.includes(id);
        const isContainer = pattern.includes('(?<log>');
        // Two containers of one service are two probes.
        const any = pattern.includes('(?<container>') ? CONTAINER : ANY;
        const fields = parseFields(isContainer ? any : id === 'klog' ? OF_OBJECTS : OF_TEXT);
        const mapping = compileMapping({ pattern, fields });
        const first = id === 'java' && { first: new RegExp(`${pattern.split('\\n', 1)[0]}$`) };
        return { id, goesOn, mapping, ...(isContainer && { inner: 'log' }), ...first };
      }),
    ),
    { id: 'logfmt', isLogfmt: true, mapping: compileMapping({ fields: parseFields(ANY) }) },
  ];
  return table;
}

/** The id of a format that a user's mapping describes. */
export const MAPPED = 'mapped';

/** The names of the formats, each once. */
export const LOGGERS = [
  ...['pino', 'bunyan', 'winston', 'zap', 'logrus', 'structlog', 'python', 'log4j', 'java'],
  ...['go', 'klog', 'docker', 'kubernetes', 'journald', 'syslog', 'nginx', 'postgresql', 'redis'],
  'logfmt',
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colors begin with one
const COLORS = /\x1b\[[\d;]*m/g;

/** A line without terminal colors, and without the carriage return of a Windows line end. */
export function plainLine(line: string): string {
  return (line.includes('\x1b') ? line.replace(COLORS, '') : line).replace(/\r$/, '');
}

/** How many lines are examined. */
const MOST_LINES = 50;

/** A line and, if it is a JSON object, its keys. */
type Told = readonly [line: string, keys: readonly string[] | undefined];

/** The format that fits most of the first lines, among those with that id. */
export function loggerOf(head: string, id?: string): Logger | undefined {
  const lines = head.split('\n', MOST_LINES + 1).map(plainLine);
  // The last one may be cut off.
  if (lines.length > 1) lines.pop();
  const told = lines
    .filter((line) => line.trim() !== '' && !KLOG_HEADING.test(line))
    .map((line): Told => [line, keysIn(line)]);
  const candidates = loggers().filter((one) => id === undefined || one.id === id);
  const sure = candidates.filter((one) => one.id !== LEAST);
  return mostOf(sure, told) ?? mostOf(candidates, told);
}

/** The one of these formats that fits most lines, if it fits enough of them. */
function mostOf(candidates: readonly Logger[], told: readonly Told[]): Logger | undefined {
  const counts = candidates.map(
    (one) => told.filter(([line, keys]) => isOf(one, line, keys)).length,
  );
  const most = Math.max(0, ...counts);
  const [first, second] = told.map(([line]) => line);
  const found = candidates[counts.indexOf(most)];
  if (most === 0 || found === undefined) return undefined;
  // A single line may be followed by a stack trace of any length.
  const isGoing = found.goesOn === true && first !== undefined && second !== undefined;
  // Programs that write JSON often run with others that write whatever they like.
  const isMost =
    most * (found.keys === undefined ? 2 : 4) > told.length ||
    (isGoing && isOf(found, first, undefined));
  return isMost ? found : undefined;
}

/** The format of a line of text from a container; that of the line before it, if that fits. */
export function textLoggerOf(line: string, before: Logger | undefined): Logger | undefined {
  if (before !== undefined && isOf(before, line, undefined)) return before;
  return loggers().find((one) => {
    const isLine = one.keys === undefined && one.inner === undefined && one.first === undefined;
    return isLine && isOf(one, line, undefined);
  });
}

function keysIn(line: string): readonly string[] | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return Object.keys(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function isOf(
  { keys: own, isLogfmt, mapping, first }: Logger,
  line: string,
  keys: readonly string[] | undefined,
): boolean {
  if (own !== undefined) return keys !== undefined && own.every((key) => keys.includes(key));
  if (keys !== undefined) return false;
  if (isLogfmt !== true) return (first ?? mapping.pattern)?.test(line) === true;
  return /^[^\s="]+=/.test(line) && /(?:^|\s)(?:msg|message|level|lvl|ts|time)=/.test(line);
}
