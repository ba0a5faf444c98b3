import { lstatSync, readdirSync, realpathSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../shared/command.js';
import { findAncestors } from '../shared/processes.js';
import type { Action, ScriptSettings } from '../shared/script.js';
import { isToken, newToken, openStateFile } from '../shared/state-file.js';

/** A file that fills a file system. */
interface Fill {
  readonly directory: string;
  readonly dev: number;
  readonly token: string;
}

const openState = (name: string, { path }: ScriptSettings) =>
  openStateFile<Fill>(
    name,
    { path },
    {
      directory: (value) => typeof value === 'string',
      dev: Number.isInteger,
      token: isToken,
    },
  );
const pathOf = ({ directory, token }: Fill) => join(directory, `perturb-fill-${token}`);

/** Block counts of a file system, and the block size in bytes. */
interface Blocks {
  readonly blocks: number;
  readonly bfree: number;
  /** Free blocks for users other than root. */
  readonly bavail: number;
  readonly bsize: number;
}

/**
 * Returns the size, in bytes, of a file that would fill a file system to a percentage. The size is zero or negative if
 * the file system is already at least that full.
 */
export function countMissingBytes({ blocks, bfree, bavail, bsize }: Blocks, share: number): number {
  const usedBlocks = blocks - bfree;
  return Math.floor((usedBlocks + bavail) * (share / 100) - usedBlocks) * bsize;
}

/** Returns a file system's used share, from 0 to 1. */
export function usedShare({ blocks, bfree, bavail }: Blocks): number {
  const usedBlocks = blocks - bfree;
  return usedBlocks / (usedBlocks + bavail);
}

/** Returns the devices with the server's open files, such as its journal. */
const ownDevices = () =>
  findAncestors().flatMap(({ pid }) => {
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
  // A symbolic link may lead elsewhere by the time of the reset.
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
    // The file system cannot reserve space, so this writes the whole file.
    run('fallocate', ['--posix', '--length', `${length}`, file]);
  }
};

export const resetDisk: Action = async (name, settings) => {
  const state = openState(name, settings).read();
  if (state === undefined) return;
  const file = pathOf(state);
  if (statSync(state.directory, { throwIfNoEntry: false })?.dev !== state.dev) {
    throw new Error(
      `the file system of ${file} is no longer mounted: mount it, or remove ${name}.state.json if the file system no longer exists`,
    );
  }
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) {
    throw new Error(`another file replaced ${file}: move or remove that file`);
  }
  if (stats !== undefined) unlinkSync(file);
  await openState(name, settings).remove();
};

/** Tolerance below the requested fill level. A file occupies whole blocks, so it may be slightly too small. */
const SLACK = 0.02;

/** Throws unless a file system is filled to the requested share. */
export const verifyDisk: Action = (_name, { path = '' }, params) => {
  const blocks = statfsSync(path);
  if (usedShare(blocks) < Number(params['share']) / 100 - SLACK) {
    throw new Error(`${path} has ${blocks.bavail * blocks.bsize} free bytes`);
  }
};
