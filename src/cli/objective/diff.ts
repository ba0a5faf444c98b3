import { compareObjectives } from '../../objective/index.js';
import { unifiedDiff } from '../files/write-file.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { readDesigns } from './load.js';
import { changesText } from './objective-text.js';
import { addStoreFlags, type StoreFlags } from './store.js';

interface Flags extends StoreFlags, FormatFlags {
  readonly text?: true;
}

export const help = `
Says what differs in meaning: comments, white space, order of keys and quotes
do not count. A word that ends in .toml, or that is a file, means that file.
Exit codes: 0 done, 1 a file has errors, 2 wrong usage or no such objective,
4 the store cannot be used.

Examples:
  perturb objective diff "Drone in wind@1" "Drone in wind@2"
  perturb objective diff "Drone in wind" wind.objective.toml --text
`;

export const configure: Configure = (command) => {
  command
    .argument('<before>', 'NAME, NAME@REVISION, a file, or - for stdin')
    .argument('<after>', 'the same')
    .option('--text', 'compare the files line by line, as a patch');
  addFormatOption(addStoreFlags(command));
};

export const run: Run<Flags, [string, string]> = async (context, words, flags) => {
  const [before, after] = await readDesigns(context, flags, words);
  const { stdout } = context.io;
  if (flags.text) {
    stdout.write(await unifiedDiff(before, after));
    return exitCodes.ok;
  }
  const changes = compareObjectives(before.canonical, after.canonical);
  const text = changes.length === 0 ? 'no difference in meaning\n' : changesText(changes);
  return printResult(context, flags, { changes }, () => text);
};
