import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { npmEnvironment } from '../installed.js';
import type { Provide } from './provided.js';

/**
 * Puts the packed file where a clone beside the directory has it, and what it is installed with into
 * the directory.
 */
export const providePacked: Provide = async ({ installation: { home, tarball }, directory }) => {
  const clone = join(directory, '../perturb');
  mkdirSync(clone);
  copyFileSync(tarball, join(clone, basename(tarball)));
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(home, name), join(directory, name));
  }
  return { env: npmEnvironment() };
};
