import { quote } from '../diagnostics/index.js';
import type { SessionFormat } from './formats.js';
import { LOG_FORMAT_NAMES, logFormats } from './importers/log-formats.js';
import type { LogFormat, Mapping } from './importers/mapping.js';
import type { FittingPattern } from './importers/pattern-trial.js';
import { cleanLine, recognizeLogFormat } from './importers/recognize-log.js';
import { hasClocks } from './importers/shiviz.js';
import { parseTime } from './importers/times.js';
import type { Problem } from './problem.js';
import { findNamedFormat, type Reading } from './reading.js';

/**
 * The keys that identify a format, in the outermost object or an array's first object. If other formats use the same
 * keys, the text must also match the pattern. Earlier rows take precedence.
 */
const KEYS: readonly (readonly [SessionFormat, readonly string[], RegExp?])[] = [
  ['otlp', ['resourceSpans', 'resourceLogs', 'resourceMetrics']],
  ['session', ['session', 'probe', 'from', 'to']],
  // Spans printed by the ConsoleSpanExporter of OpenTelemetry for Python.
  ['otlp', ['context'], /"trace_id"\s*:\s*"0x/],
  [
    'otlp',
    ['batches', 'trace'],
    /"(?:resource|scope|instrumentationLibrary)(?:Spans)?"|"batches"\s*:\s*\[\s*\]/,
  ],
  ['chrome', ['traceEvents', 'ph']],
  [
    'jaeger',
    ['data', 'spans', 'traceID', '_source', 'hits', 'took'],
    /"traceID"|"(?:data|spans|hits)"\s*:\s*(?:\[\s*\]|null)/,
  ],
  ['zipkin', ['traceId', 'localEndpoint'], /"(?:id|localEndpoint)"\s*:/],
];

const JAEGERS_ANSWER = /^\{\s*"result"\s*:\s*\{\s*"resourceSpans"/;

/** Recognizes a file's format from its beginning; returns undefined for an unknown format. */
export function recognizeFormat(text: string): SessionFormat | LogFormat | undefined {
  if (!looksLikeJson(text)) {
    if (hasClocks(text)) return 'shiviz';
    return tableRows(text) === undefined ? recognizeLogFormat(text) : undefined;
  }
  if (JAEGERS_ANSWER.test(text)) return 'otlp';
  const keys = topLevelKeys(text);
  const row = KEYS.find(
    ([, names, signature]) =>
      names.some((key) => keys.includes(key)) && signature?.test(text) !== false,
  );
  // Zipkin responds with an empty array if it finds nothing.
  if (text.startsWith('[')) return row?.[0] ?? (/^[[\],\s]*$/.test(text) ? 'zipkin' : undefined);
  // Logs may use the other keys too.
  const isSure = row === KEYS[0] || (row === KEYS[1] && keys.includes('probe'));
  return isSure ? row?.[0] : (recognizeLogFormat(text) ?? row?.[0]);
}

/** MCAP's magic bytes, decoded as text. The first byte is not valid UTF-8. */
const MCAP = '\ufffdMCAP0\r\n';

/** A file's format, with its mapping and its table layout, if any. */
export interface RecognizedFormat {
  readonly format?: SessionFormat | LogFormat | undefined;
  /** The paths of an event's parts in a table's row or an MCAP message. */
  readonly mapping?: Mapping | undefined;
  /** Present if the file may be a table. `isTableFormat` is true if the file certainly is a table. */
  readonly table?: { readonly mapping?: Mapping; readonly isTableFormat: boolean };
}

/**
 * Returns the format named by a reading, or detects the format from the beginning of the file. For a named logger, uses
 * the pattern that matches the most lines, or the first pattern if none matches.
 *
 * @throws {MappingError} for an invalid reading
 */
export function formatOfFile(
  head: string,
  reading: Reading,
  recognize: (head: string) => SessionFormat | LogFormat | undefined = recognizeFormat,
): RecognizedFormat {
  const requested = findNamedFormat(reading);
  const logger =
    typeof requested === 'string' ? logFormats().find(({ id }) => id === requested) : undefined;
  const format = logger
    ? (recognizeLogFormat(head, logger.id) ?? logger)
    : (requested ?? recognize(head));
  // A mapping without a pattern may belong to any format.
  const mapping =
    typeof requested === 'object' && !requested.mapping.pattern ? requested.mapping : undefined;
  const mayBeTable = format === undefined || mapping !== undefined;
  if (format === 'mcap' || (mayBeTable && head.startsWith(MCAP)))
    return { format: 'mcap', mapping };
  if (format !== 'csv' && !(mayBeTable && !looksLikeJson(head))) return { format };
  return { format, table: { ...(mapping && { mapping }), isTableFormat: format === 'csv' } };
}

export function looksLikeJson(text: string): boolean {
  return /^(?:\{\s*(?:["}]|$)|\[\s*(?:[[{"\]]|$))/.test(text);
}

const TOKEN = /"((?:[^"\\]|\\.)*)(?:"\s*(:)?|$)|[{}[\]]/gs;

/** Returns the keys of the first object, which may be incomplete. */
function topLevelKeys(text: string): readonly string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token, key = '', isKey] of text
    .slice(Math.max(0, text.indexOf('{')))
    .matchAll(TOKEN)) {
    if (isKey !== undefined && depth === 1) keys.push(key);
    else if (token === '{' || token === '[') depth++;
    else if ((token === '}' || token === ']') && --depth === 0) break;
  }
  return keys;
}

const MAX_KEYS = 5;

const UNPACK = 'unpack it, and import its files';
/** Unsupported kinds of files, recognized by their beginnings, with advice. */
const OTHER_FORMATS: readonly (readonly [beginning: RegExp, kind: string, how: string])[] = [
  [/^PK[^\w\s]{2}/, 'a zip archive', UNPACK],
  [/^[^\0]{1,100}\0.{0,256}ustar/s, 'a tar archive', UNPACK],
  [
    /^(?:BZh|\ufffd7zXZ)/,
    'packed data',
    'unpack it first: only gzip and zstd are supported directly',
  ],
  [
    /^#ROSBAG/,
    'a ROS 1 bag',
    'convert it to MCAP, for example with mcap convert IN.bag OUT.mcap; use --tolerant to read ROS 1 messages without their fields',
  ],
  [
    /^SQLite format 3\0/,
    'a SQLite database, such as ROS 2 records',
    'convert a recording to MCAP, for example with mcap convert IN.db3 OUT.mcap',
  ],
  [
    /^\ufffd\ufffd(?:[^\0]\0|\0[^\0])/,
    'text in UTF-16',
    'convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8',
  ],
];

/** Returns the rows of an apparent table, by column; undefined if the text is not a table. */
function tableRows(text: string): readonly Sample[] | undefined {
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '');
  const delimiter = [';', '\t', '|', ','].find((candidate) => {
    const columns = header.split(candidate);
    return columns.length > 2 && columns.length === lines[0]?.split(candidate).length;
  });
  if (delimiter === undefined) return undefined;
  const columns = header.split(delimiter).map((column) => column.trim());
  if (!columns.every((column) => /^[\p{L}_][\p{L}\w]*$/u.test(column))) return undefined;
  const cells = lines.map((line) => line.split(delimiter));
  const completeRows = cells.filter((row) => row.length === columns.length);
  return completeRows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
}

/** Returns the JSON objects that are complete on one line. */
function jsonRows(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line): Sample[] => {
    try {
      const value = JSON.parse(line);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** A record from the beginning of a file, by key. */
type Sample = Readonly<Record<string, unknown>>;

/** The usual key names of an event's parts, without a unit suffix. */
const PART_KEYS = {
  time: /^[@_]*(?:ts?|time|timestamp|date|datetime|at|when|realtime_timestamp)$/i,
  probe:
    /^(?:service|svc|app|application|component|host|hostname|logger|source|src|node|device|module)$/i,
  name: /^[@_]?(?:msg|message|event|evt|ev|type|kind|action|topic|signal|text|name|short_message|mt|body|log)$/i,
} as const;

/** Minimum number of events at which names are expected to repeat. */
const FEW_EVENTS = 3;

/**
 * Suggests a mapping based on usual key names; returns undefined if no key can contain event names. Checks the first
 * values: times must be valid, and names must repeat.
 *
 * @param isTable true if the first columns may be time, probe and name, under any name
 */
function suggestMapping(rows: readonly Sample[], isTable: boolean): string | undefined {
  const keys = Object.keys(rows[0] ?? {}).filter((key) => /^[^\s.,|[\]"'=$]+$/.test(key));
  const values = (key: string) => rows.map((row) => row[key]).filter((value) => value != null);
  const isTime = (value: unknown) =>
    typeof value === 'number' ||
    (typeof value === 'string' &&
      (/^\d+(?:\.\d+)?$/.test(value) || parseTime(value) !== undefined));
  const repeats = (values: readonly unknown[]) =>
    values.length < FEW_EVENTS || new Set(values).size < values.length;
  const isName = (values: readonly unknown[]) =>
    values.every((value) => typeof value === 'string' && !isTime(value)) && repeats(values);
  const find = (names: RegExp, accepts: (values: readonly unknown[]) => boolean, at: number) =>
    keys.find((key) => names.test(key.replace(/_(?:[mun]?s|sec)$/, '')) && accepts(values(key))) ??
    [keys[at]].find((key) => isTable && key !== undefined && accepts(values(key)));
  const areTimes = (values: readonly unknown[]) => values.every(isTime);
  const name = find(PART_KEYS.name, isName, 2);
  const probe = find(PART_KEYS.probe, isName, 1);
  const time = find(PART_KEYS.time, areTimes, 0);
  if (name === undefined) return undefined;
  const parts = { name, probe: probe === name ? undefined : probe, time };
  return Object.entries(parts)
    .flatMap(([part, key]) => (key === undefined ? [] : [`${part}=$.${key}`]))
    .join(',');
}

/** Suggests an option `--map`, derived from the file's keys if possible. */
function mappingAdvice(rows: readonly Sample[], isTable = false): string {
  const mapping = suggestMapping(rows, isTable);
  return mapping === undefined
    ? "--map 'name=$.KEY', with the key of the event names"
    : `--map '${mapping}'`;
}

/** Suggests an option `--pattern`, with the pattern that fits the file's lines, if any. */
function patternAdvice(patternFit: FittingPattern | undefined): string {
  if (patternFit === undefined) {
    return " with a regular expression that has a group called name: --pattern '^...(?<name>...)$'";
  }
  const { pattern, nonEvents, lines } = patternFit;
  const omissionText =
    nonEvents === 0 ? '' : ` --tolerant, which skips unmatched lines (${nonEvents} of ${lines})`;
  return `: --pattern '${pattern}'${omissionText}`;
}

/** A file of unknown format. */
export interface UnknownFile {
  /** The beginning of the file. */
  readonly head: string;
  /** A pattern that matches the file's lines, if any. */
  readonly patternFit: FittingPattern | undefined;
}

/** Returns the problems of a file of unknown format. */
export function describeUnknownFormat(file: UnknownFile, count: number): readonly Problem[] {
  const [kind, advice] = describeKind(file);
  return [
    { count, message: `unknown format: it looks like ${kind}` },
    {
      count: 0,
      message: `supported formats: session JSON Lines; traces: ${TRACES}; CSV; ROS 2 recordings as MCAP; logs: ShiViz vector clocks, ${LOG_FORMAT_NAMES.join(', ')}`,
    },
    { count: 0, message: advice },
  ];
}

const NAME_IT = 'if the format is supported, name it with --from';

/** Returns the apparent kind of a text, and advice. */
function describeKind({
  head: text,
  patternFit,
}: UnknownFile): readonly [kind: string, how: string] {
  const otherFormat = OTHER_FORMATS.find(([beginning]) => beginning.test(text));
  if (otherFormat !== undefined) return [otherFormat[1], otherFormat[2]];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text never contains these
  if (/[\0-\x08\ufffd]/.test(text)) {
    const advice = `${NAME_IT}; convert anything else to session JSON Lines`;
    return ['binary data', advice];
  }
  const line = cleanLine(text.split('\n', 1)[0] as string);
  const beginsText = `, which begins with ${quote(line)}`;
  if (looksLikeJson(text)) {
    const keys = topLevelKeys(text);
    const rows = jsonRows(text);
    const membersText = [
      ...keys.slice(0, MAX_KEYS).map(quote),
      ...(keys.length > MAX_KEYS ? ['...'] : []),
    ];
    const filter = text.startsWith('[') ? '.[]' : '.';
    const linesText = /^\{.*\}\s*$/.test(line)
      ? ''
      : `write each object on its own line, for example with jq -c '${filter}', and `;
    return [
      `${membersText.length === 0 ? 'JSON' : `JSON with ${membersText.join(', ')}`}${beginsText}`,
      `${NAME_IT}, or ${linesText}map each line to an event: ${mappingAdvice(rows.length > 0 ? rows : [Object.fromEntries(keys.map((key) => [key, undefined]))])}`,
    ];
  }
  const table = tableRows(text);
  const advice =
    table === undefined
      ? `${NAME_IT}, or describe a line${patternAdvice(patternFit)}`
      : `${NAME_IT}; if the file is a table, map its columns to event fields: ${mappingAdvice(table, true)}`;
  return [`text${beginsText}`, advice];
}

const TRACES = 'OTLP as JSON or protobuf, Tempo, Jaeger, Zipkin, Chrome';
