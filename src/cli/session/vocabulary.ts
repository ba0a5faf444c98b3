import { renderTable, type TableLook } from '../../reporters/terminal/index.js';
import type { EventShape, Vocabulary } from '../../session/index.js';
import { loadVocabulary } from '../config/sources.js';
import { type Configure, exitCodes, type Run, usageFailure } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';

export const help = `
The names that recorded events have, as "perturb objective lint --sessions" checks
against them. What is broken in a session is left out, and said on stderr. What was
read is kept in the cache directory of the user, so that the next time is fast.

Exit codes: 0 done, 2 wrong usage.

Examples:
  perturb session vocabulary flight7.session.jsonl
  perturb session vocabulary 'recordings/**/*.session.jsonl' --format json
`;

export const configure: Configure = (command) => {
  command.argument(
    '<source...>',
    'sessions, in any format that "perturb session import" reads; directories and globs',
  );
  addFormatOption(command);
};

export const run: Run<FormatFlags, [readonly string[]]> = async (context, [words], flags) => {
  const { io } = context;
  const vocabulary = await loadVocabulary(io, words, io.cwd, { needed: true });
  if (!vocabulary.whole) throw usageFailure('the sessions have too many different names to list');
  if (vocabulary.shapes.length === 0) throw usageFailure('no session could be read');
  printResult(context, flags, { vocabulary: toJson(vocabulary) }, (look) => page(vocabulary, look));
  return exitCodes.ok;
};

function page(vocabulary: Vocabulary, look: TableLook): string {
  const events = vocabulary.shapes.map(({ name, probe, events, attributes }) => [
    name,
    probe,
    String(events),
    [...attributes.keys()].sort(),
  ]);
  const attributes = attributesIn(vocabulary).map(({ name, events, kinds, texts }) => [
    name,
    String(events),
    kinds.map(([kind, count]) => (kinds.length === 1 ? kind : `${count} ${kind}`)),
    texts === null ? ['many'] : [...texts].map(([text, count]) => `${count} ${text}`),
  ]);
  return [
    renderTable(['EVENT', 'PROBE', 'EVENTS', 'ATTRIBUTES'], events, look),
    ...(attributes.length > 0
      ? [renderTable(['ATTRIBUTE', 'EVENTS', 'KINDS', 'TEXTS'], attributes, look)]
      : []),
  ].join('\n');
}

/** What is known of each attribute over all events, by name. */
function attributesIn({ shapes, texts }: Vocabulary) {
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

/** What the sessions hold, for scripts; the texts of an attribute are absent where they are many. */
function toJson(vocabulary: Vocabulary): object {
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
    attributes: attributesIn(vocabulary).map(({ name, events, kinds, texts }) => ({
      ...{ name, events, kinds: Object.fromEntries(kinds) },
      ...(texts !== null && {
        texts: [...texts].map(([text, count]) => ({ text, events: count })),
      }),
    })),
  };
}
