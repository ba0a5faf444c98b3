import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { canonicalJson, loadObjective } from '../../objective/index.js';
import { decodeSource } from '../../source/index.js';
import type { ObjectiveStore } from '../../store/index.js';
import type { NamedText } from '../files/write-file.js';
import type { CommandContext } from '../runtime/command.js';
import { exitCodes, Failure, type Io, systemReason } from '../runtime/command.js';
import { readStdin } from '../runtime/io.js';
import { isFileWord } from './is-file-word.js';
import { findRevision, type StoreFlags, withStore } from './store.js';

/** An objective of the store or of a file: its text, and what it means. */
export interface Design extends NamedText {
  readonly canonical: string;
}

/**
 * Reads two objectives, each from a file or from the store; without the store
 * where both are files.
 *
 * @throws Failure (findings) for a file with errors
 */
export async function readDesigns(
  context: CommandContext,
  flags: StoreFlags,
  [before, after]: readonly [string, string],
): Promise<readonly [Design, Design]> {
  const { io } = context;
  const read = async (store: ObjectiveStore | undefined): Promise<readonly [Design, Design]> => [
    await readDesign(io, store, before),
    await readDesign(io, store, after),
  ];
  return isFileWord(io.cwd, before) && isFileWord(io.cwd, after)
    ? read(undefined)
    : withStore(context, flags, (store) => read(store));
}

async function readDesign(
  io: Io,
  store: ObjectiveStore | undefined,
  word: string,
): Promise<Design> {
  if (store === undefined || isFileWord(io.cwd, word)) return fromFile(io, word);
  const { name, revision, original, canonical } = await findRevision(store, word);
  return { name: `${name}@${revision}`, text: new TextDecoder().decode(original), canonical };
}

async function fromFile(io: Io, path: string): Promise<Design> {
  let bytes: Uint8Array;
  try {
    bytes = path === '-' ? await readStdin(io) : readFileSync(resolve(io.cwd, path));
  } catch (error) {
    throw new Failure(exitCodes.usage, `cannot read ${path}: ${systemReason(error)}`);
  }
  const decoded = decodeSource(path, bytes);
  const { objective } = loadObjective(decoded);
  if (objective === undefined) {
    const help = `List them with perturb objective lint ${path}.`;
    throw new Failure(exitCodes.findings, `${path} has errors`, help);
  }
  return { name: path, text: decoded.source.text, canonical: canonicalJson(objective) };
}
