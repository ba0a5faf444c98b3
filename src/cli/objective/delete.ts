import { quote } from '../../diagnostics/index.js';
import {
  CommandFailure,
  type Configure,
  exitCodes,
  type Io,
  type Run,
} from '../runtime/command.js';
import { addStoreFlags, noObjective, type StoreFlags, withStore } from './store.js';

interface Flags extends StoreFlags {
  readonly yes?: true;
  readonly purge?: true;
}

export const help = `
Asks first, on a terminal. The revisions stay, and "perturb objective restore"
brings them back, unless they are purged.
Exit codes: 0 deleted, 2 wrong usage or no such objective, 4 the store cannot be
used.

Examples:
  perturb objective delete "Drone in wind"
  perturb objective delete "Drone in wind" --purge --yes
`;

export const configure: Configure = (command) => {
  command
    .argument('<name>', 'the name of the objective')
    .option('-y, --yes', 'do not ask')
    .option('--purge', 'remove all its revisions for good');
  addStoreFlags(command);
};

export const run: Run<Flags, [string]> = async (context, [name], flags) => {
  const { io } = context;
  if (!flags.yes && !io.stdin.isTTY) {
    throw new CommandFailure(exitCodes.usage, 'not a terminal: pass --yes');
  }
  return withStore(context, flags, async (store) => {
    const found = await store.find(name);
    if (found === undefined || (found.deletedAt !== undefined && !flags.purge)) {
      throw await noObjective(store, name);
    }
    const { revisions } = found;
    const count = revisions === 1 ? 'its only revision' : `its ${revisions} revisions`;
    const question = flags.purge
      ? `Remove ${quote(name)} with ${count} for good?`
      : `Delete ${quote(name)}? It can be restored.`;
    if (!flags.yes && !(await confirm(io, question))) {
      io.stderr.write('perturb: nothing was deleted\n');
      return exitCodes.ok;
    }
    await (flags.purge ? store.purge(name) : store.delete(name));
    io.stdout.write(`${flags.purge ? 'purged' : 'deleted'} ${quote(name)}\n`);
    return exitCodes.ok;
  });
};

async function confirm({ stdin, stderr }: Io, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // A terminal gives a line at a time.
  for await (const line of stdin) return /^\s*y(?:es)?\s*$/i.test(Buffer.from(line).toString());
  return false;
}
