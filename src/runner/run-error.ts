import { exitCodes, PerturbError, visible } from '../basics/index.js';

/** An error code for a run that cannot begin or continue. */
export type RunErrorCode = keyof typeof MESSAGES;

/** Messages by error code. Most of them include a remedy. */
const MESSAGES = {
  'in-use': ({ path, detail }) =>
    `${path} is in use by another run (process ${detail}): wait for that run to end, or choose another directory with --out`,
  'server-in-use': ({ path, detail }) =>
    `${path} is in use by a run that began at ${detail}: wait for that run to end, or pass --wait`,
  held: ({ path, detail }) =>
    `${path} was stopped at ${detail} and refuses mutations until you run "perturb mutators stop --release"`,
  'no-lock': ({ path, detail }) =>
    `${path} cannot be locked (${detail}): choose a directory on a local file system with --out`,
  'no-directory': ({ path, detail }) =>
    `${path} cannot be a run directory (${detail}): choose another directory with --out`,
  'not-readable': ({ path, detail }) => `${path} cannot be read (${detail})`,
  'not-written': ({ path, detail }) =>
    `${path} cannot be written (${detail}): free some space or choose another directory, then continue with --resume`,
  'no-port': ({ path, detail }) =>
    `cannot listen for events on ${path} (${detail}): stop the program that uses this address, or choose another port`,
  damaged: ({ path, detail }) =>
    `${path} is damaged (${detail}): make sure that no mutation is active, and start a run in another directory`,
  'no-run': ({ path }) =>
    `${path} is not a run directory: pass a run directory, or start a run without --resume`,
  'not-a-run': ({ path }) => `${path} is not a run directory: perturb runs list shows the runs`,
  'other-version': ({ path, detail }) =>
    `${path} was written by another version of Perturb (${detail}): continue with that version`,
  'holds-run': ({ path }) =>
    `${path} already contains a run: continue it with --resume ${path}, or choose another directory with --out`,
  differs: ({ path, detail }) =>
    `the run in ${path} cannot continue: ${detail}; start a new run in another directory`,
} satisfies Readonly<Record<string, (about: Record<'path' | 'detail', string>) => string>>;

const WRONG_USAGE = new Set<RunErrorCode>(['no-run', 'not-a-run', 'holds-run', 'differs']);

/** The error for a run that cannot begin or continue, with a message for the user. */
export class RunError extends PerturbError<RunErrorCode> {
  /**
   * @param path the directory or file
   * @param detail inserted into the message
   */
  constructor(code: RunErrorCode, path: string, detail = '') {
    const exitCode = WRONG_USAGE.has(code) ? exitCodes.usage : exitCodes.unavailable;
    super(code, visible(MESSAGES[code]({ path, detail })), exitCode);
  }
}
