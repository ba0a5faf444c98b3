import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { overwriteFile, removeFile, replaceFile } from '../../../durable/index.js';
import { digestOf, type FileState } from './file-state.js';
import type { MutatedFile } from './original-store.js';

/** What a file is made with that did not exist. */
const NEW_MODE = 0o644;

/** Writes a file, or removes it, unless it is so already. */
export async function putFile(
  { path, original, inPlace }: MutatedFile,
  bytes: Uint8Array | undefined,
  state: FileState,
): Promise<void> {
  const temporary = temporaryFor(path);
  // An earlier process may have left it. Where none can be removed none was made.
  await rm(temporary, { force: true }).catch(() => {});
  if (digestOf(state?.bytes) === digestOf(bytes)) return;
  if (bytes === undefined) await removeFile(path);
  else if (inPlace === true && state !== undefined) await overwriteFile(path, bytes);
  else {
    const kept = original === 'absent' ? { mode: NEW_MODE } : original;
    const like = state === undefined ? {} : { attributesFrom: path };
    await replaceFile(path, bytes, { ...kept, ...like, temporary });
  }
}

/** The same for every process, so that one can remove what another has left. */
function temporaryFor(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 12);
  return join(dirname(path), `.perturb-${digest}.new`);
}
