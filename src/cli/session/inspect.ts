import {
  type NamedCell,
  renderFacts,
  renderTable,
  type TableLook,
} from '../../reporters/terminal/index.js';
import {
  type EventShape,
  inspectSession,
  type SessionSummary,
  type Vocabulary,
} from '../../session/index.js';
import { nanosecondsText, timeText } from '../../values/index.js';
import { loadVocabulary } from '../config/sources.js';
import { type CommandModule, type Configure, type Run, usageFailure } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { addSessionFlags, IN_ANY_FORMAT, type SessionFlags, withSession } from './read-source.js';

export const help = `
Exit codes: 0 done, 1 something is broken, 2 wrong usage.

Example:
  perturb session inspect flight7.session.jsonl
`;

export const configure: Configure = (command) => {
  command.argument('<source>', `a session, ${IN_ANY_FORMAT}; - for stdin`);
  addFormatOption(addSessionFlags(command));
};

export const run: Run<SessionFlags & FormatFlags, [string]> = async (context, [path], flags) => {
  return withSession(context, path, flags, '', async (session) => {
    const summary = inspectSession(session);
    await printResult(context, flags, { session: summaryToJson(summary) }, (look) =>
      summaryPage(summary, look),
    );
  });
};

function summaryPage(summary: SessionSummary, look: TableLook): string {
  const { name, source, events, interactions, probes, time, orderedPairs } = summary;
  const { names, otherNames, attributes } = summary;
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
  const nameRows = names.map((one) => [one.name, String(one.events)]);
  const attributeRows = attributes.map((attribute) => {
    const kinds = Object.entries(attribute.kinds);
    return [attribute.name, ...kindCells(kinds)];
  });
  const more = otherNames > 0 ? `and ${otherNames} more\n` : '';
  return joined(
    renderFacts(facts, look),
    table(probeHead, probeRows, look),
    table(['NAME', 'EVENTS'], nameRows, look) + more,
    table(['ATTRIBUTE', 'EVENTS', 'KINDS'], attributeRows, look),
  );
}

function kindCells(kinds: readonly (readonly [kind: string, count: number])[]) {
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const words = kinds.map(([kind, count]) => (kinds.length === 1 ? kind : `${count} ${kind}`));
  return [String(total), words] as const;
}

/** A table, or nothing if it would have no rows. */
function table(...[titles, rows, look]: Parameters<typeof renderTable>): string {
  return rows.length === 0 ? '' : renderTable(titles, rows, look);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

/** What is in a session, for scripts. Times are nanoseconds. */
function summaryToJson(summary: SessionSummary): object {
  const { name, source, events, interactions, time, orderedPairs, probes, names } = summary;
  return {
    ...{ name, source, events, interactions, time, ordered_pairs: orderedPairs, probes, names },
    ...{ other_names: summary.otherNames, attributes: summary.attributes },
  };
}

export const showVocabulary: CommandModule = {
  help: `
Shows the names that "perturb objective lint --sessions" checks objectives against.
What is broken in a session is left out, and reported on stderr. What was read is
kept in the user's cache directory, which makes the next time faster.

Exit codes: 0 done, 2 wrong usage.

Examples:
  perturb session vocabulary flight7.session.jsonl
  perturb session vocabulary 'recordings/**/*.session.jsonl' --format json
`,
  configure(command) {
    command.argument('<source...>', `sessions, ${IN_ANY_FORMAT}; directories and globs`);
    addFormatOption(command);
  },
  async run(context, [words]: readonly [readonly string[]], flags: FormatFlags) {
    const { io } = context;
    const vocabulary = await loadVocabulary(io, words, io.cwd, { needed: true });
    if (!vocabulary.whole) throw usageFailure('the sessions have too many different names to list');
    const members = { vocabulary: vocabularyToJson(vocabulary) };
    return printResult(context, flags, members, (look) => vocabularyPage(vocabulary, look));
  },
};

function vocabularyPage(vocabulary: Vocabulary, look: TableLook): string {
  const events = vocabulary.shapes.map(({ name, probe, events, attributes }) => {
    return [name, probe, String(events), [...attributes.keys()].sort()];
  });
  const attributes = attributesOver(vocabulary).map(({ name, kinds, texts }) => [
    name,
    ...kindCells(kinds),
    texts === null ? ['many'] : [...texts].map(([text, count]) => `${count} ${text}`),
  ]);
  return joined(
    renderTable(['EVENT', 'PROBE', 'EVENTS', 'ATTRIBUTES'], events, look),
    table(['ATTRIBUTE', 'EVENTS', 'KINDS', 'TEXTS'], attributes, look),
  );
}

/** What is known of each attribute over all events, by name. */
function attributesOver({ shapes, texts }: Vocabulary) {
  const all = new Map<string, Map<string, number>>();
  for (const [name, kinds] of shapes.flatMap(({ attributes }) => [...attributes])) {
    const sums = all.get(name) ?? new Map<string, number>();
    for (const [kind, count] of kinds) sums.set(kind, (sums.get(kind) ?? 0) + count);
    all.set(name, sums);
  }
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, kinds]) => {
      const events = [...kinds.values()].reduce((sum, count) => sum + count, 0);
      const known = texts.get(name);
      return { name, events, kinds: [...kinds], texts: known === undefined ? new Map() : known };
    });
}

/** What the sessions hold, for scripts; the texts of an attribute are absent if there are many. */
function vocabularyToJson(vocabulary: Vocabulary): object {
  const shape = ({ name, probe, events, attributes }: EventShape) => {
    const own = [...attributes].map(([key, kinds]) => ({
      name: key,
      kinds: Object.fromEntries(kinds),
    }));
    return { name, probe, events, attributes: own };
  };
  return {
    count: vocabulary.events,
    events: vocabulary.shapes.map(shape),
    attributes: attributesOver(vocabulary).map(({ name, events, kinds, texts }) => ({
      ...{ name, events, kinds: Object.fromEntries(kinds) },
      ...(texts !== null && {
        texts: [...texts].map(([text, count]) => ({ text, events: count })),
      }),
    })),
  };
}
