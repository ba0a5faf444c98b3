/* What mutators have set, kept in files next to the programs. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DIRECTORY = new URL('state/', import.meta.url);
const pathOf = (name) => fileURLToPath(new URL(`${name}.json`, DIRECTORY));

/** What is set, or the default. */
export function readState(name, otherwise) {
  try {
    return JSON.parse(readFileSync(pathOf(name), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  }
}

export function writeState(name, value) {
  mkdirSync(DIRECTORY, { recursive: true });
  writeFileSync(pathOf(name), JSON.stringify(value));
}

export function clearState(name) {
  rmSync(pathOf(name), { force: true });
}
