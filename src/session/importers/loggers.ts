import { compileMapping, type Mapping, parseFields } from './mapping.js';

/** A format of logs: how it is told by its lines, and how these become events. */
export interface Logger {
  readonly id: string;
  readonly mapping: Mapping;
  /** Keys that each line has, of JSON Lines. */
  readonly keys?: readonly string[];
  /** Whether lines are `key=value ...`, rather than JSON or what the pattern matches. */
  readonly isLogfmt?: boolean;
  /** Whether a line that does not match goes on with the one before it, as a stack does. */
  readonly goesOn?: boolean;
  /** The key of what the program itself wrote, which may be JSON, and may be in parts. */
  readonly inner?: string;
  /** Keys that say nothing of what happened. */
  readonly without?: RegExp;
}

const DATE = String.raw`\d{4}[-/]\d\d[-/]\d\d`;
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d+)?`;
const ZONE = String.raw`(?:Z| ?[+-]\d\d:?\d\d)?`;
const TIME = `(?<time>(?:${DATE}[T ])?${CLOCK}${ZONE})`;
const LEVEL =
  '(?<level>TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|FINE|FINER|FINEST)';
const WRITTEN = String.raw`(?:[^"\\]|\\.)*`;

/** What programs write as JSON, whichever of their loggers it is. */
const ANY =
  'name=$.msg|$.message|$.event|$.log,probe=$.service|$.service.name|$.app|$.name|$.logger|$.container_name|$.hostname,time=$.time|$.ts|$.timestamp|$.@timestamp';

/** JSON Lines: which keys tell the format, and its fields. */
const JSON_LOGGERS: readonly (readonly [string, readonly string[], string])[] = [
  ['docker', ['log', 'stream', 'time'], ANY],
  [
    'journald',
    ['__REALTIME_TIMESTAMP'],
    'name=$.MESSAGE,probe=$.SYSLOG_IDENTIFIER|$._SYSTEMD_UNIT|$._COMM,time=$.__REALTIME_TIMESTAMP',
  ],
  [
    'bunyan',
    ['name', 'hostname', 'pid', 'level', 'time', 'v'],
    'name=$.msg,probe=$.name,time=$.time',
  ],
  [
    'pino',
    ['level', 'time', 'pid', 'hostname'],
    'name=$.msg,probe=$.name|$.service|$.hostname,time=$.time',
  ],
  ['zap', ['level', 'ts', 'msg'], 'name=$.msg,probe=$.service|$.app|$.logger,time=$.ts'],
  ['logrus', ['level', 'msg', 'time'], 'name=$.msg,probe=$.service|$.app|$.name,time=$.time'],
  [
    'log4j',
    ['@timestamp', 'message'],
    'name=$.message,probe=$.service.name|$.service|$.app|$.logger_name|$.log.logger,time=$.@timestamp',
  ],
  [
    'log4j',
    ['instant', 'loggerName', 'level', 'message'],
    'name=$.message,probe=$.service|$.loggerName,time=$.timeMillis|$.instant.epochSecond',
  ],
  [
    'structlog',
    ['event', 'timestamp'],
    'name=$.event,probe=$.service|$.app|$.logger,time=$.timestamp',
  ],
  [
    'python',
    ['message', 'levelname'],
    'name=$.message,probe=$.service|$.name,time=$.asctime|$.created|$.timestamp',
  ],
  [
    'winston',
    ['level', 'message'],
    'name=$.message,probe=$.service|$.label|$.name,time=$.timestamp|$.time',
  ],
  [
    'winston',
    ['@message', '@fields'],
    'name=$.@message,probe=$.@fields.service|$.@fields.label,time=$.@timestamp',
  ],
  ['pino', ['level', 'msg'], 'name=$.msg,probe=$.name|$.service,time=$.time'],
];

/** Text: the pattern of its lines, and whether a line may go on. */
const TEXT_LOGGERS: readonly (readonly [string, string, boolean?])[] = [
  [
    'kubernetes',
    `^(?<time>${DATE}T${CLOCK}${ZONE}) (?<stream>stdout|stderr) (?<part>[FP])(?: (?<log>.*))?$`,
  ],
  [
    'syslog',
    String.raw`^<(?<priority>\d{1,3})>1 (?<time>\S+) (?<host>\S+) (?<app>\S+) (?<pid>\S+) (?<message_id>\S+) (?<data>-|(?:\[(?:[^\]"]|"${WRITTEN}")*\])+)(?: (?<name>.*))?$`,
  ],
  [
    'syslog',
    String.raw`^(?:<(?<priority>\d{1,3})>)?(?<time>[A-Z][a-z]{2} [ \d]\d ${CLOCK}|${DATE}T${CLOCK}${ZONE}) (?<host>[^\s[\]]+) (?<app>[^\s:[\]]+)(?:\[(?<pid>\d+)\])?: (?<name>.*)$`,
  ],
  [
    'nginx',
    String.raw`^(?<client>\S+) (?<ident>\S+) (?<user>\S+) \[(?<time>\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "(?<name>${WRITTEN})" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referer>${WRITTEN})" "(?<agent>${WRITTEN})")?(?: (?<more>.*))?$`,
  ],
  [
    'log4j',
    String.raw`^${TIME} +${LEVEL} +(?<pid>\d+) --- (?:\[[^\]]*\] )*?\[ *(?<thread>[^\]]*)\] (?<probe>\S+) *: (?<name>.*)$`,
    true,
  ],
  [
    'log4j',
    String.raw`^${TIME} +\[(?<thread>[^\]]*)\] +${LEVEL} +(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
    true,
  ],
  [
    'log4j',
    String.raw`^${TIME} +${LEVEL} +(?:\[(?<thread>[^\]]*)\] +)(?<probe>\S+?)(?: +-|:) +(?<name>.*)$`,
    true,
  ],
  [
    'log4j',
    String.raw`^${TIME} +\[?${LEVEL}\]? +(?<probe>[\w$.]+)(?::(?<line>\d+))?(?: +-|:) +(?<name>.*)$`,
    true,
  ],
  ['python', String.raw`^${TIME} - (?<probe>\S+) - ${LEVEL} - (?<name>.*)$`, true],
  ['python', `^${TIME}:${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`, true],
  ['python', `^${LEVEL}:(?<probe>[^:]*):(?<name>.*)$`, true],
  ['python', String.raw`^\[${TIME}\] ${LEVEL} in (?<probe>\S+): (?<name>.*)$`, true],
  [
    'zap',
    String.raw`^(?<time>${DATE}T${CLOCK}${ZONE})\t(?<level>[A-Za-z]+)\t(?:(?<probe>[\w.-]+)\t)?(?:(?<caller>[^\t]+:\d+)\t)?(?<name>[^\t]*)(?:\t(?<json>\{.*\}))?$`,
    true,
  ],
  [
    'structlog',
    String.raw`^${TIME} \[(?<level>debug|info|warn|warning|error|critical|exception) *\] (?<name>.*?)(?:  +(?:\[(?<probe>[\w.]+)\] *)?(?<pairs>[^\s=]+=.*)?)?$`,
    true,
  ],
  ['python', String.raw`^\[?${TIME}\]? +\[?${LEVEL}\]? *:? +(?<name>.*)$`, true],
  [
    'winston',
    String.raw`^(?:${TIME} +)?(?:\[(?<probe>[^\]]*)\] +)?(?<level>error|warn|info|http|verbose|debug|silly): +(?<name>.*?)(?: (?<json>\{.*\}))?$`,
    true,
  ],
];

let table: readonly Logger[] | undefined;

/** The formats that are known, those that tell the most first. */
export function loggers(): readonly Logger[] {
  table ??= [
    ...JSON_LOGGERS.map(([id, keys, fields]) => ({
      id,
      keys,
      mapping: compileMapping({ fields: parseFields(fields) }),
      ...(id === 'docker' && { inner: 'log' }),
      ...(id === 'journald' && { without: /^__/ }),
    })),
    ...TEXT_LOGGERS.map(([id, pattern, goesOn = false]) => ({
      id,
      goesOn,
      mapping: compileMapping({
        pattern,
        fields: parseFields(
          id === 'kubernetes'
            ? ANY
            : 'name=$.name|$.message_id,probe=$.probe|$.app|$.service|$.label,time=$.time|$.timestamp',
        ),
      }),
      ...(id === 'kubernetes' && { inner: 'log' }),
    })),
    { id: 'logfmt', isLogfmt: true, mapping: compileMapping({ fields: parseFields(ANY) }) },
  ];
  return table;
}

/** The id of what a mapping describes that is not of the table. */
export const MAPPED = 'mapped';

/** The names of the formats, each once. */
export const LOGGERS = [
  ...['pino', 'bunyan', 'winston', 'zap', 'logrus', 'structlog', 'python', 'log4j', 'docker'],
  ...['kubernetes', 'journald', 'syslog', 'nginx', 'logfmt'],
] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's colors begin with one
const COLORS = /\x1b\[[\d;]*m/g;

/** A line without the colors that it has on terminals, and without the end of a line on Windows. */
export function plainLine(line: string): string {
  return (line.includes('\x1b') ? line.replace(COLORS, '') : line).replace(/\r$/, '');
}

/** So many lines are looked at. */
const MOST_LINES = 50;

/** The format in which most of the first lines are, among those of that name. */
export function loggerOf(head: string, id?: string): Logger | undefined {
  const lines = head.split('\n', MOST_LINES + 1).map(plainLine);
  // The last one may be cut.
  if (lines.length > 1) lines.pop();
  const told = lines
    .filter((line) => line.trim() !== '')
    .map((line) => [line, keysIn(line)] as const);
  const candidates = loggers().filter((one) => id === undefined || one.id === id);
  const counts = candidates.map(
    (one) => told.filter(([line, keys]) => isOf(one, line, keys)).length,
  );
  const most = Math.max(0, ...counts);
  const [first, second] = told.map(([line]) => line);
  const found = candidates[counts.indexOf(most)];
  if (most === 0 || found === undefined) return undefined;
  // Behind one line, a stack may be of any length.
  const isGoing = found.goesOn === true && first !== undefined && second !== undefined;
  // Programs that write JSON have others beside them that write what they like.
  const isMost =
    most * (found.keys === undefined ? 2 : 4) > told.length ||
    (isGoing && isOf(found, first, undefined));
  return isMost ? found : undefined;
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
  { keys: own, isLogfmt, mapping }: Logger,
  line: string,
  keys: readonly string[] | undefined,
): boolean {
  if (own !== undefined) return keys !== undefined && own.every((key) => keys.includes(key));
  if (keys !== undefined) return false;
  if (isLogfmt !== true) return mapping.pattern?.test(line) === true;
  return /^[^\s="]+=/.test(line) && /(?:^|\s)(?:msg|message|level|lvl|ts|time)=/.test(line);
}
