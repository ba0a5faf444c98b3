import { quote } from '../../diagnostics/index.js';
import { visible } from '../../reporters/index.js';
import type { Damage, Verification } from '../../store/index.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { type Progress, startProgress } from '../runtime/progress.js';
import { referenceText } from './objective-text.js';
import { addStoreFlags, type StoreFlags, withStore } from './store.js';

export const help = `
Reads every revision, and checks it against the digests that were kept when it
was registered. Changes nothing.
Exit codes: 0 all is sound, 2 wrong usage, 4 something is damaged, or the store
cannot be used.

Examples:
  perturb objective verify
  perturb objective verify --store sqlite:lab.db --format json
`;

export const configure: Configure = (command) => {
  addFormatOption(addStoreFlags(command));
};

export const run: Run<StoreFlags & FormatFlags> = async (context, _args, flags) => {
  const { io } = context;
  let progress: Progress | undefined;
  const verification = await withStore(context, flags, (store) =>
    store.verify({
      begin: (total) => {
        progress = startProgress(io.stderr, total, 'revisions');
      },
      step: () => progress?.step(),
    }),
  ).finally(() => progress?.end());
  printResult(
    context,
    flags,
    () => verification,
    () => toText(verification),
  );
  return isSound(verification) ? exitCodes.ok : exitCodes.unavailable;
};

function isSound({ damaged, problems }: Verification): boolean {
  return damaged.length === 0 && problems.length === 0;
}

function toText(verification: Verification): string {
  const { objectives, revisions, damaged, problems } = verification;
  const checked = `${counted(revisions, 'revision')} of ${counted(objectives, 'objective')}`;
  if (isSound(verification)) return `${checked}: all sound\n`;
  const lines = [
    ...problems.map((problem) => `the database: ${problem}`),
    ...damaged.map((one) => `${nameText(one)}: ${one.problems.join(', ')}`),
  ];
  const bad = damaged.length === 0 ? '' : `, ${damaged.length} damaged`;
  return `${lines.map((line) => `${visible(line)}\n`).join('')}${checked}${bad}\n`;
}

function nameText({ name, revision }: Damage): string {
  return revision === undefined ? quote(name) : referenceText(name, revision);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
