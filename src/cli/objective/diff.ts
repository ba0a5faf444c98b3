import { canonicalJson, compareObjectives, loadObjective } from '../../objective/index.js';
import { decodeSource } from '../../source/index.js';
import type { ObjectiveStore } from '../../store/index.js';
import { unifiedDiff } from '../files/write-file.js';
import { CommandFailure, type CommandHandler, exitCodes, type Io } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { printResult, readInputArgument } from '../runtime/io.js';
import { formatOption } from '../runtime/options.js';
import { isFileWord } from './load.js';
import { changesText } from './objective-values.js';
import { findRevision, storeOptions, withStore } from './store.js';

export const help = `
Shows differences in meaning. Ignores comments, white space, key order and quotes.
An argument names a file if it ends in .toml or is an existing file's path.
Exit codes: 0 done, 1 a file has errors, 2 invalid usage or no such objective,
4 the store is unavailable.

Examples:
  perturb objective diff "Drone in wind@1" "Drone in wind@2"
  perturb objective diff "Drone in wind" wind.objective.toml --text
`;

export const args = [
  argument('<before>', 'NAME, NAME@REVISION, a file, or - for stdin'),
  argument('<after>', 'the same'),
] as const;

export const options = [
  option('--text', 'print a unified diff of the files').conflicts('format'),
  ...storeOptions,
  formatOption(),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, words, flags) => {
  const { io } = context;
  const read = async (store?: ObjectiveStore) =>
    [await readDesign(io, store, words[0]), await readDesign(io, store, words[1])] as const;
  const areFiles = words.every((word) => isFileWord(io.cwd, word));
  const [before, after] = areFiles ? await read() : await withStore(context, flags, read);
  if (flags.text) {
    io.stdout.write(await unifiedDiff(before, after));
    return exitCodes.ok;
  }
  const changes = compareObjectives(before.canonical, after.canonical);
  const text = changes.length === 0 ? 'no difference in meaning\n' : changesText(changes);
  return printResult(context, flags, { changes }, () => text);
};

/** Reads an objective from the store or a file. Returns its text and its canonical JSON. */
async function readDesign(io: Io, store: ObjectiveStore | undefined, word: string) {
  if (store !== undefined && !isFileWord(io.cwd, word)) {
    const { name, revision, original, canonical } = await findRevision(store, word);
    return { name: `${name}@${revision}`, text: new TextDecoder().decode(original), canonical };
  }
  const decoded = decodeSource(word, await readInputArgument(io, word));
  const { objective } = loadObjective(decoded);
  if (objective === undefined) {
    const help = `List them with perturb objective lint ${word}.`;
    throw new CommandFailure(exitCodes.findings, `${word} has errors`, help);
  }
  return { name: word, text: decoded.source.text, canonical: canonicalJson(objective) };
}
