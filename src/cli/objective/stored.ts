import { quote } from '../../diagnostics/index.js';
import { loadObjective } from '../../objective/index.js';
import { plural, visible } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import type { Verification } from '../../store/index.js';
import { readConfig } from '../config/config.js';
import { writeNamed } from '../files/write-file.js';
import { type CommandModule, exitCodes, type Io, usageFailure } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import { type Progress, startProgress } from '../runtime/progress.js';
import { listedToJson, logEntryToJson, referenceText, revisionToJson } from './objective-values.js';
import {
  addStoreFlags,
  findRevision,
  noObjective,
  type StoreFlags,
  withStore,
  withStoreOf,
} from './store.js';

/* The commands for the objectives of a store. */

type PrintFlags = StoreFlags & FormatFlags;

/** What draws tables takes as long to load as a list takes to be read. */
const tables = () => import('./objective-text.js');

export const listObjectives: CommandModule = {
  help: `
Exit codes: 0 done, 2 wrong usage, 4 the store cannot be used.

Examples:
  perturb objective list
  perturb objective list --deleted
  perturb objective list --store sqlite:lab.db --format json
`,
  configure(command) {
    addFormatOption(addStoreFlags(command)).option('--deleted', 'list the deleted ones instead');
  },
  async run(context, _args, flags: PrintFlags & { readonly deleted?: true }) {
    const config = await readConfig(context, flags.config);
    // A store that nobody named is created with the first objective.
    const isNamed = flags.store !== undefined || config.storeUrl !== undefined;
    const whenMissing = isNamed ? 'fail' : 'pretend';
    const deleted = flags.deleted === true;
    const objectives = await withStoreOf(context, flags, config, whenMissing, (store) =>
      store.list({ deleted }),
    );
    await printResult(context, flags, { objectives: objectives.map(listedToJson) }, async (look) =>
      (await tables()).objectiveTable(objectives, look),
    );
    if (objectives.length === 0 && !deleted) {
      context.io.stderr.write('perturb: register one with perturb objective create FILE\n');
    }
    return exitCodes.ok;
  },
};

export const logObjective: CommandModule = {
  help: `
Lists all revisions of an objective, the newest first, even if it is deleted.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective log "Drone in wind"
  perturb objective log "Drone in wind" --format json
`,
  configure(command) {
    addFormatOption(addStoreFlags(command.argument('<name>', 'the name of the objective')));
  },
  async run(context, [name]: readonly [string], flags: PrintFlags) {
    const revisions = await withStore(context, flags, async (store) => {
      const found = await store.log(name);
      if (found.length === 0) throw await noObjective(store, name);
      return found;
    });
    const members = { name, revisions: revisions.map(logEntryToJson) };
    return printResult(context, flags, members, async (look) =>
      (await tables()).logTable(revisions, look),
    );
  },
};

export const showObjective: CommandModule = {
  help: `
--format toml prints the file as it was registered.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective show "Drone in wind"
  perturb objective show "Drone in wind@2" --format toml
`,
  configure(command) {
    command.argument('<name>', 'NAME, or NAME@REVISION');
    addStoreFlags(addFormatOption(command, 'how to print', ['pretty', 'toml', 'json']));
  },
  async run(
    context,
    [word]: readonly [string],
    flags: StoreFlags & { readonly format: 'pretty' | 'toml' | 'json' },
  ) {
    const revision = await withStore(context, flags, (store) => findRevision(store, word));
    const { format } = flags;
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
};

export const exportObjective: CommandModule = {
  help: `
Writes the exact bytes of the file that was registered.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective export "Drone in wind" -o wind.objective.toml
  perturb objective export "Drone in wind@2" > wind.objective.toml
`,
  configure(command) {
    command
      .argument('<name>', 'NAME, or NAME@REVISION')
      .option('-o, --output <file>', 'the file to write (default: stdout)');
    addStoreFlags(command);
  },
  async run(context, [word]: readonly [string], flags: StoreFlags & { readonly output?: string }) {
    const { cwd, stdout } = context.io;
    const { original } = await withStore(context, flags, (store) => findRevision(store, word));
    if (flags.output !== undefined && flags.output !== '-') writeNamed(cwd, flags.output, original);
    // What is registered is UTF-8; the BOM stays.
    else stdout.write(new TextDecoder('utf-8', { ignoreBOM: true }).decode(original));
    return exitCodes.ok;
  },
};

export const deleteObjective: CommandModule = {
  help: `
Asks first, on a terminal. The revisions stay, and "perturb objective restore"
brings them back, unless they are purged.
Exit codes: 0 deleted, 2 wrong usage or no such objective, 4 the store cannot be
used.

Examples:
  perturb objective delete "Drone in wind"
  perturb objective delete "Drone in wind" --purge --yes
`,
  configure(command) {
    command
      .argument('<name>', 'the name of the objective')
      .option('-y, --yes', 'do not ask')
      .option('--purge', 'remove all its revisions for good');
    addStoreFlags(command);
  },
  async run(
    context,
    [name]: readonly [string],
    flags: StoreFlags & { readonly yes?: true; readonly purge?: true },
  ) {
    const { io } = context;
    if (!flags.yes && !io.stdin.isTTY) throw usageFailure('not a terminal: pass --yes');
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
  },
};

async function confirm({ stdin, stderr }: Io, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  // A terminal gives a line at a time.
  for await (const line of stdin) return /^\s*y(?:es)?\s*$/i.test(Buffer.from(line).toString());
  return false;
}

export const restoreObjective: CommandModule = {
  help: `
Brings back an objective that was deleted and not purged, with all its revisions.
Exit codes: 0 restored, or not deleted at all; 2 wrong usage or no such
objective, 4 the store cannot be used.

Example:
  perturb objective restore "Drone in wind"
`,
  configure(command) {
    addStoreFlags(command.argument('<name>', 'the name of the objective'));
  },
  async run(context, [name]: readonly [string], flags: StoreFlags) {
    return withStore(context, flags, async (store) => {
      const restored = await store.restore(name);
      if (!restored && (await store.find(name)) === undefined) throw await noObjective(store, name);
      context.io.stdout.write(`${restored ? 'restored' : 'not deleted:'} ${quote(name)}\n`);
      return exitCodes.ok;
    });
  },
};

export const verifyStore: CommandModule = {
  help: `
Reads every revision, and checks it against the digests that were kept when it
was registered. Changes nothing.
Exit codes: 0 all is sound, 2 wrong usage, 4 something is damaged, or the store
cannot be used.

Examples:
  perturb objective verify
  perturb objective verify --store sqlite:lab.db --format json
`,
  configure(command) {
    addFormatOption(addStoreFlags(command));
  },
  async run(context, _args, flags: PrintFlags) {
    let progress: Progress | undefined;
    const verification = await withStore(context, flags, (store) =>
      store.verify({
        begin: (total) => {
          progress = startProgress(context.io, total, 'revisions');
        },
        step: () => progress?.step(),
      }),
    ).finally(() => progress?.end());
    await printResult(context, flags, verification, () => verificationText(verification));
    return isSound(verification) ? exitCodes.ok : exitCodes.unavailable;
  },
};

function isSound({ damaged, problems }: Verification): boolean {
  return damaged.length === 0 && problems.length === 0;
}

function verificationText(verification: Verification): string {
  const { objectives, revisions, damaged, problems } = verification;
  const checked = `${plural(revisions, 'revision')} of ${plural(objectives, 'objective')}`;
  if (isSound(verification)) return `${checked}: all sound\n`;
  const lines = [
    ...problems.map((problem) => `the database: ${problem}`),
    ...damaged.map(({ name, revision, problems: found }) => {
      const what = revision === undefined ? quote(name) : referenceText(name, revision);
      return `${what}: ${found.join(', ')}`;
    }),
  ];
  const bad = damaged.length === 0 ? '' : `, ${damaged.length} damaged`;
  return `${lines.map((line) => `${visible(line)}\n`).join('')}${checked}${bad}\n`;
}
