import { lstatSync, readdirSync, realpathSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../shared/command.js';
import { ancestors } from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { isToken, newToken, stateFile } from '../shared/state-file.js';

/** The file that fills a file system. */
interface Fill {
  readonly directory: string;
  readonly dev: number;
  readonly token: string;
}

const openState = (name: string, { path }: ScriptSettings) =>
  stateFile<Fill>(
    name,
    { path },
    {
      directory: (value) => typeof value === 'string',
      dev: Number.isInteger,
      token: isToken,
    },
  );
const pathOf = ({ directory, token }: Fill) => join(directory, `perturb-fill-${token}`);

/** The numbers of blocks of a file system, and their size in bytes. */
interface Blocks {
  readonly blocks: number;
  readonly bfree: number;
  /** Free blocks, except those that only root may use. */
  readonly bavail: number;
  readonly bsize: number;
}

/**
 * Returns the size in bytes of the file that fills a file system to a share, in percent. Not positive if the file
 * system is already that full.
 */
export function countMissingBytes({ blocks, bfree, bavail, bsize }: Blocks, share: number): number {
  const usedBlocks = blocks - bfree;
  return Math.floor((usedBlocks + bavail) * (share / 100) - usedBlocks) * bsize;
}

/** Returns the used share of a file system, from 0 to 1. */
export function usedShare({ blocks, bfree, bavail }: Blocks): number {
  const usedBlocks = blocks - bfree;
  return usedBlocks / (usedBlocks + bavail);
}

/** Returns the file systems of the server's open files, such as its journal. */
const ownDevices = () =>
  ancestors().flatMap(({ pid }) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        const file = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
        return file?.isFile() ? [file.dev] : [];
      });
    } catch {
      return [];
    }
  });

export const injectDisk: Action = async (name, settings, params) => {
  await resetDisk(name, settings, params);
  const { path = '' } = settings;
  // A link may lead elsewhere at the time of the reset.
  const directory = realpathSync(path);
  const stats = statSync(directory);
  if (!stats.isDirectory()) throw new Error(`${directory} is not a directory`);
  if ([statSync('.').dev, ...ownDevices()].includes(stats.dev)) {
    throw new Error(`${path} is on the server's own file system: choose another file system`);
  }
  const length = countMissingBytes(statfsSync(directory), Number(params['share']));
  if (length <= 0) return;
  const fill = { directory, dev: stats.dev, token: newToken() };
  const file = pathOf(fill);
  await openState(name, settings).save(fill);
  try {
    run('fallocate', ['--length', `${length}`, file]);
  } catch (error) {
    if (!/not supported/i.test(String(error))) throw error;
    // Writes to a file system that cannot reserve space.
    run('fallocate', ['--posix', '--length', `${length}`, file]);
  }
};

export const resetDisk: Action = async (name, settings) => {
  const state = openState(name, settings).read();
  if (state === undefined) return;
  const file = pathOf(state);
  if (statSync(state.directory, { throwIfNoEntry: false })?.dev !== state.dev) {
    throw new Error(
      `${file} is on a file system that is not mounted there now: mount it, or remove ${name}.state.json if it is gone`,
    );
  }
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) {
    throw new Error(
      `${file} is no longer the file that fills ${state.directory}: remove it, or move it away`,
    );
  }
  if (stats !== undefined) unlinkSync(file);
  await openState(name, settings).remove();
};

/** Tolerance below the requested fill level, because a file occupies whole blocks. */
const SLACK = 0.02;

/** Throws unless a file system is as full as requested. */
export const verifyDisk: Action = (_name, { path = '' }, params) => {
  const blocks = statfsSync(path);
  if (usedShare(blocks) < Number(params['share']) / 100 - SLACK) {
    throw new Error(`${path} has ${blocks.bavail * blocks.bsize} free bytes`);
  }
};
