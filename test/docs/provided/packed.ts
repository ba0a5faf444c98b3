import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { npmEnvironment } from '../installed.js';
import type { Provide } from './provided.js';

/** Takes the package away, and puts the packed file where a clone beside the directory has it. */
export const providePacked: Provide = async ({ installation: { tarball }, directory }) => {
  const clone = join(directory, '../perturb');
  mkdirSync(clone);
  copyFileSync(tarball, join(clone, basename(tarball)));
  rmSync(join(directory, 'node_modules'));
  return { env: npmEnvironment() };
};
