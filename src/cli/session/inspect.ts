import { relative, resolve } from 'node:path';
import { plural, visible } from '../../basics/index.js';
import { toVersionedJson } from '../../reporters/index.js';
import {
  type NamedCell,
  renderFacts,
  renderTable,
  type TableStyle,
} from '../../reporters/terminal/index.js';
import {
  type EventShape,
  inspectSession,
  type Session,
  type SessionReading,
  type SessionSummary,
  type TextCounts,
  type Vocabulary,
  vocabularyOf,
} from '../../session/index.js';
import { nanosecondsText, timeText } from '../../values/index.js';
import { sessionsAt } from '../config/sources.js';
import { type CommandHandler, exitCodes, type Io } from '../runtime/command.js';
import { argument } from '../runtime/declare.js';
import { tableLook } from '../runtime/io.js';
import { configOption, formatOption } from '../runtime/options.js';
import {
  evidenceOptions,
  IN_ANY_FORMAT,
  problemLines,
  readSessionAt,
  skippedCountsText,
  unreadableReason,
} from './read-source.js';
import { readingsIn } from './reading.js';

export const help = `
Checks each session, and shows its probes, the order of its events, and the names
that "perturb objective lint --sessions" checks objectives against.

Exit codes: 0 all sessions are valid, or --tolerant skips their broken entries;
1 a session is broken, 2 invalid usage.

Examples:
  perturb session inspect flight7.session.jsonl
  perturb session inspect 'recordings/**/*.session.jsonl' --format json
`;

export const args = [
  argument('<source...>', `sessions, ${IN_ANY_FORMAT}; directories and globs; - for stdin`),
] as const;

export const options = [...evidenceOptions, configOption, formatOption()] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [words], flags) => {
  const { io } = context;
  const paths = (await Promise.all(words.map((word) => pathsOf(io, word)))).flat();
  const readingOf = await readingsIn(context, flags);
  const files: object[] = [];
  let isWhole = true;
  for (const path of paths) {
    const reading = await readSessionAt(context, path, readingOf, flags);
    const { session } = reading;
    isWhole &&= session !== undefined;
    io.stderr.write(problemLines(path, reading));
    if (flags.format === 'json') {
      files.push(readingToJson(path, reading));
    } else if (session !== undefined) {
      const heading =
        paths.length > 1 ? `${visible(path)}: ${plural(session.size, 'event')}\n` : '';
      io.stdout.write(`${heading}${sessionPage(session, tableLook(context))}`);
      if (path !== paths.at(-1)) io.stdout.write('\n');
    }
    const outcome = session === undefined ? unreadableReason(reading) : droppedNote(reading);
    if (outcome !== '')
      io.stderr.write(`perturb: ${paths.length > 1 ? `${visible(path)}: ` : ''}${outcome}\n`);
  }
  if (flags.format === 'json') io.stdout.write(toVersionedJson({ files }));
  return isWhole ? exitCodes.ok : exitCodes.findings;
};

/** Returns the display paths of the files that an argument names. */
async function pathsOf({ cwd }: Io, word: string): Promise<readonly string[]> {
  if (word === '-') return [word];
  const found = await sessionsAt(word, cwd);
  return found.map((path) => (path === resolve(cwd, word) ? word : relative(cwd, path)));
}

function droppedNote({ dropped }: SessionReading): string {
  const text = skippedCountsText(dropped);
  return text === '' ? '' : `skipped ${text}`;
}

function sessionPage(session: Session, look: TableStyle): string {
  return summaryPage(inspectSession(session), vocabularyOf(session), look);
}

function readingToJson(path: string, { session, format, problems, dropped }: SessionReading) {
  const { record: records, event: events, interaction: interactions } = dropped;
  return {
    ...{ file: path, format, whole: problems.length === 0 },
    problems: problems.map(({ line, column, message }) => ({ line, column, message })),
    broken: { records, events, interactions },
    ...(session && { session: summaryToJson(inspectSession(session), vocabularyOf(session)) }),
  };
}

/** Maximum number of event names on a page; the json format contains all. */
const MOST_NAMES = 20;

function summaryPage(summary: SessionSummary, vocabulary: Vocabulary, look: TableStyle): string {
  const { name, source, events, interactions, probes, time, orderedPairs } = summary;
  const { shapes, texts, whole } = vocabulary;
  const timelines = probes.reduce((sum, one) => sum + one.timelines, 0);
  const facts: readonly NamedCell[] = [
    ['name', name],
    ['source', source],
    ['events', String(events)],
    ['probes', String(probes.length)],
    ['timelines', timelines > probes.length ? String(timelines) : undefined],
    ['interactions', String(interactions)],
    [
      'time',
      time &&
        `${timeText(time.first)} to ${timeText(time.last)} (${nanosecondsText(time.last - time.first)})`,
    ],
    ['ordered', orderedPairs && `${orderedPairs.ordered} of ${orderedPairs.of} pairs of probes`],
  ];
  const hasTimelines = timelines > probes.length;
  const probeRows = probes.map((one) => [
    one.probe,
    hasTimelines ? String(one.timelines) : '',
    String(one.events),
    String(one.receives),
  ]);
  const probeHead = ['PROBE', 'TIMELINES?', 'EVENTS', 'RECEIVES'];
  const nameRows = shapes
    .slice(0, MOST_NAMES)
    .map(({ name, probe, events, attributes }) => [
      ...[name, probe, String(events)],
      [...attributes.keys()].sort(),
    ]);
  const attributeRows = summary.attributes.map(({ name, kinds }) => [
    name,
    ...kindCells(Object.entries(kinds)),
    textCells(texts.get(name)),
  ]);
  const rest = shapes.length - nameRows.length;
  const more = rest > 0 ? `and ${rest} more\n` : '';
  const unlisted = whole ? '' : 'The session has too many different names to list.\n';
  return joined(
    renderFacts(facts, look),
    table(probeHead, probeRows, look),
    table(['EVENT', 'PROBE', 'EVENTS', 'ATTRIBUTES'], nameRows, look) + more + unlisted,
    table(['ATTRIBUTE', 'EVENTS', 'KINDS', 'TEXTS'], attributeRows, look),
  );
}

function kindCells(kinds: readonly (readonly [kind: string, count: number])[]) {
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const words = kinds.map(([kind, count]) => (kinds.length === 1 ? kind : `${count} ${kind}`));
  return [String(total), words] as const;
}

/** Returns a table, or an empty text if there are no rows. */
function table(...[titles, rows, look]: Parameters<typeof renderTable>): string {
  return rows.length === 0 ? '' : renderTable(titles, rows, look);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** Formats the counts of an attribute's string values. Null stands for too many values. */
function textCells(texts: TextCounts | null | undefined): readonly string[] {
  if (texts === null) return ['many'];
  return [...(texts ?? [])].map(([text, count]) => `${count} ${text}`);
}

/** Converts a session's content to JSON. Times are in nanoseconds. */
function summaryToJson(summary: SessionSummary, { shapes, texts, whole }: Vocabulary): object {
  const { name, source, events, interactions, time, orderedPairs, probes, attributes } = summary;
  const textsOf = (key: string) => {
    const counts = texts.get(key);
    return counts === null
      ? {}
      : { texts: [...(counts ?? [])].map(([text, count]) => ({ text, events: count })) };
  };
  return {
    ...{ name, source, events, interactions, time, ordered_pairs: orderedPairs, probes },
    ...(whole && { names: shapes.map(shapeToJson) }),
    attributes: attributes.map((one) => ({ ...one, ...(whole && textsOf(one.name)) })),
  };
}

function shapeToJson({ name, probe, events, attributes }: EventShape): object {
  const kinds = ([key, counts]: readonly [string, Iterable<readonly [string, number]>]) => ({
    name: key,
    kinds: Object.fromEntries(counts),
  });
  return { name, probe, events, attributes: [...attributes].map(kinds) };
}
