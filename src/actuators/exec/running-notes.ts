import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endOrphanProcesses, isSystemError } from '../../durable/index.js';

/*
 * A command may outlive a killed server, and would then inject after the next server has reset. A note, which is a file
 * in the state directory, therefore records each running command. The note's name is a token in the environment of the
 * command and its children. Notes need not survive a power failure, because no command does.
 */

const VARIABLE = 'PERTURB_OPERATION';

/** Matches the name of a note. */
export const NOTE_NAME = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The notes about running commands. */
export type RunningNotes = ReturnType<typeof createRunningNotes>;

/** Creates notes as files in an existing directory. */
export function createRunningNotes(directory: string) {
  return {
    /** Adds a note about a command that is about to start. */
    begin() {
      const token = randomUUID();
      const path = join(directory, token);
      ignoreSystemErrors(() => writeFileSync(path, ''));
      return {
        /** The variable that the command's environment must contain. */
        env: { [VARIABLE]: token },
        /**
         * Kills all findable processes that the command has started.
         *
         * @param leader the command's process, which has its own group and session
         */
        killAll: (leader: number | undefined) =>
          endOrphanProcesses({ variable: VARIABLE, values: [token], leader }),
        /** Removes the note about a command that has exited. */
        end: () => ignoreSystemErrors(() => rmSync(path, { force: true })),
      };
    },
  };
}

/** Runs a function and ignores system errors. A full disk, for example, must not prevent a reset. */
function ignoreSystemErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/**
 * Ends the commands that an earlier server has left running, and the commands' children. Misses no process, because a
 * forked process whose environment is not set yet would still hold the directory's lock.
 *
 * @param directory the directory of the notes, in a locked state directory
 */
export async function endRemainingCommands(directory: string): Promise<void> {
  const tokens = (await readdir(directory)).filter((name) => NOTE_NAME.test(name));
  if (tokens.length === 0) return;
  await endOrphanProcesses({ variable: VARIABLE, values: tokens });
  for (const token of tokens) await rm(join(directory, token), { force: true }).catch(() => {});
}
