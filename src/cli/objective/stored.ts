import { quote } from '../../diagnostics/index.js';
import { loadObjective } from '../../objective/index.js';
import { decodeSource } from '../../source/index.js';
import { readConfig } from '../config/config.js';
import { writeNamedFile } from '../files/write-file.js';
import {
  type CommandContext,
  defineCommand,
  type ExitCode,
  exitCodes,
  type Io,
  usageFailure,
} from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { printResult } from '../runtime/io.js';
import { formatOption } from '../runtime/options.js';
import { listedObjectiveToJson, logEntryToJson, revisionToJson } from './objective-values.js';
import {
  findRevision,
  type StoreFlags,
  storeOptions,
  unknownObjectiveFailure,
  withStore,
  withStoreOf,
} from './store.js';

/* The commands for objectives in a store. */

/** Loads the module lazily, because loading takes as long as reading a list. */
const tables = () => import('./objective-text.js');

export const listObjectives = defineCommand({
  help: `
Exit codes: 0 done, 2 invalid usage, 4 the store is unavailable.

Examples:
  perturb objective list
  perturb objective list --deleted
  perturb objective list --store sqlite:lab.db --format json
`,
  options: [
    ...storeOptions,
    formatOption(),
    option('--deleted', 'list deleted objectives instead'),
  ],
  async run(context, _args, flags) {
    const config = await readConfig(context, flags.config);
    // The default store is created with the first objective, so it may not exist yet.
    const isNamed = flags.store !== undefined || config.storeUrl !== undefined;
    const whenMissing = isNamed ? 'fail' : 'pretend';
    const deleted = flags.deleted === true;
    const objectives = await withStoreOf(context, flags, config, whenMissing, (store) =>
      store.list({ deleted }),
    );
    await printResult(
      context,
      flags,
      { objectives: objectives.map(listedObjectiveToJson) },
      async (look) => (await tables()).objectiveTable(objectives, look),
    );
    if (objectives.length === 0 && !deleted) {
      context.io.stderr.write('perturb: register one with perturb objective create FILE\n');
    }
    return exitCodes.ok;
  },
});

export const showObjective = defineCommand({
  help: `
--format toml prints the registered file. --history lists all revisions,
the newest first, even if the objective is deleted.
Exit codes: 0 done, 2 invalid usage or no such objective, 4 the store is unavailable.

Examples:
  perturb objective show "Drone in wind"
  perturb objective show "Drone in wind@2" --format toml
  perturb objective show "Drone in wind" --history
`,
  args: [argument('<name>', 'NAME, or NAME@REVISION')],
  options: [
    option('--history', 'list the revisions instead'),
    option('-f, --format <name>', 'output format', {
      choices: ['pretty', 'toml', 'json'],
      byDefault: 'pretty',
    }),
    ...storeOptions,
  ],
  async run(context, [word], { format, history, ...flags }) {
    if (history) return showHistory(context, word, format, flags);
    const revision = await withStore(context, flags, (store) => findRevision(store, word));
    if (format !== 'toml') {
      const { objective: design } = loadObjective(decodeSource(word, revision.original));
      const members = { objective: revisionToJson(revision, design) };
      return printResult(context, { format }, members, async (look) =>
        (await tables()).objectivePage(revision, design, look),
      );
    }
    context.io.stdout.write(new TextDecoder().decode(revision.original));
    return exitCodes.ok;
  },
});

async function showHistory(
  context: CommandContext,
  name: string,
  format: 'pretty' | 'toml' | 'json',
  flags: StoreFlags,
): Promise<ExitCode> {
  if (format === 'toml') {
    throw usageFailure(
      '--format toml prints one revision, so it cannot be combined with --history',
    );
  }
  const revisions = await withStore(context, flags, async (store) => {
    const found = await store.log(name);
    if (found.length === 0) throw await unknownObjectiveFailure(store, name);
    return found;
  });
  const members = { name, revisions: revisions.map(logEntryToJson) };
  return printResult(context, { format }, members, async (look) =>
    (await tables()).logTable(revisions, look),
  );
}

export const exportObjective = defineCommand({
  help: `
Writes the registered file's exact bytes.
Exit codes: 0 done, 2 invalid usage or no such objective, 4 the store is unavailable.

Examples:
  perturb objective export "Drone in wind" -o wind.objective.toml
  perturb objective export "Drone in wind@2" > wind.objective.toml
`,
  args: [argument('<name>', 'NAME, or NAME@REVISION')],
  options: [option('-o, --output <file>', 'the file to write (default: stdout)'), ...storeOptions],
  async run(context, [word], flags) {
    const { cwd, stdout } = context.io;
    const { original } = await withStore(context, flags, (store) => findRevision(store, word));
    if (flags.output !== undefined && flags.output !== '-')
      writeNamedFile(cwd, flags.output, original);
    // Registered files are UTF-8. The BOM is kept.
    else stdout.write(new TextDecoder('utf-8', { ignoreBOM: true }).decode(original));
    return exitCodes.ok;
  },
});

export const deleteObjective = defineCommand({
  help: `
Asks for confirmation on a terminal. Without --purge, the revisions are kept, and
--undo restores the objective with all of them.
Exit codes: 0 deleted or restored, 2 invalid usage or no such objective, 4 the
store is unavailable.

Examples:
  perturb objective delete "Drone in wind"
  perturb objective delete "Drone in wind" --undo
  perturb objective delete "Drone in wind" --purge --yes
`,
  args: [argument('<name>', 'the name of the objective')],
  options: [
    option('-y, --yes', 'do not ask for confirmation'),
    option('--purge', 'permanently remove all its revisions').conflicts('undo'),
    option('--undo', 'restore a deleted objective').conflicts('yes'),
    ...storeOptions,
  ],
  async run(context, [name], flags) {
    const { io } = context;
    if (flags.undo) return undoDelete(context, name, flags);
    if (!flags.yes && !io.stdin.isTTY)
      throw usageFailure('cannot ask for confirmation without a terminal: pass --yes');
    return withStore(context, flags, async (store) => {
      const found = await store.find(name);
      if (found === undefined || (found.deletedAt !== undefined && !flags.purge)) {
        throw await unknownObjectiveFailure(store, name);
      }
      const { revisions } = found;
      const count = revisions === 1 ? 'its only revision' : `its ${revisions} revisions`;
      const question = flags.purge
        ? `Permanently remove ${quote(name)} with ${count}?`
        : `Delete ${quote(name)}? It can be restored.`;
      if (!flags.yes && !(await confirm(io, question))) {
        io.stderr.write('perturb: nothing was deleted\n');
        return exitCodes.ok;
      }
      await (flags.purge ? store.purge(name) : store.delete(name));
      io.stdout.write(`${flags.purge ? 'purged' : 'deleted'} ${quote(name)}\n`);
      return exitCodes.ok;
    });
  },
});

async function undoDelete(
  context: CommandContext,
  name: string,
  flags: StoreFlags,
): Promise<ExitCode> {
  return withStore(context, flags, async (store) => {
    const restored = await store.restore(name);
    if (!restored && (await store.find(name)) === undefined)
      throw await unknownObjectiveFailure(store, name);
    context.io.stdout.write(`${restored ? 'restored' : 'not deleted:'} ${quote(name)}\n`);
    return exitCodes.ok;
  });
}

async function confirm({ stdin, stderr }: Io, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // A terminal delivers one line at a time.
  for await (const line of stdin) return /^\s*y(?:es)?\s*$/i.test(Buffer.from(line).toString());
  return false;
}
