import { type Command, Option } from 'commander';
import type { CommandContext } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/command.js';
import { tableLook } from '../terminal/look.js';
import { versioned } from '../terminal/versioned-json.js';
import { objectivePage, revisionToJson } from './objective-text.js';
import { addStoreFlags, findRevision, type StoreFlags, withStore } from './store.js';

interface Flags extends StoreFlags {
  readonly format: 'pretty' | 'toml' | 'json';
}

export function configure(command: Command): void {
  command
    .argument('<objective>', 'NAME, or NAME@REVISION')
    .addOption(
      new Option('-f, --format <name>', 'how to print')
        .choices(['pretty', 'toml', 'json'])
        .default('pretty'),
    );
  addStoreFlags(command).addHelpText(
    'after',
    `
--format toml prints the file as it was registered.
Exit codes: 0 done, 2 wrong usage or no such objective, 4 the store cannot be used.

Examples:
  perturb objective show "Drone in wind"
  perturb objective show "Drone in wind@2" --format toml
`,
  );
}

export async function run(
  context: CommandContext,
  [word]: readonly [string],
  flags: Flags,
): Promise<ExitCode> {
  const revision = await withStore(context, flags, (store) => findRevision(store, word));
  context.io.stdout.write(
    flags.format === 'json'
      ? versioned({ objective: revisionToJson(revision) })
      : flags.format === 'toml'
        ? new TextDecoder().decode(revision.original)
        : objectivePage(revision, tableLook(context)),
  );
  return exitCodes.ok;
}
