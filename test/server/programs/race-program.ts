import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ActuatorError } from '../../../src/actuators/actuator-error.js';
import { MutatedFiles } from '../../../src/actuators/file/mutated-files.js';

/*
 * Changes a file and puts it back, so many times, while somebody else works on the directory of the
 * file; says what was read of a file that is not theirs, and what became of that.
 */
const [, , home = '', path = '', times = ''] = process.argv;
const secret = join(home, 'secret/system.conf');
const about = () => {
  const { mode, uid, gid, nlink } = lstatSync(secret);
  return JSON.stringify({ mode, uid, gid, nlink, text: readFileSync(secret, 'utf8') });
};
const before = about();
const counts = { changed: 0, restored: 0, refused: 0, read: 0 };
for (let index = 0; index < Number(times); index++) {
  const originals = join(home, `originals-${index}`);
  mkdirSync(originals);
  const files = new MutatedFiles(originals);
  const attempt = async (work: Promise<unknown>): Promise<number> => {
    try {
      await work;
      return 1;
    } catch (error) {
      const isOfSystem = error instanceof Error && 'syscall' in error;
      if (!(error instanceof ActuatorError || isOfSystem)) throw error;
      counts.refused += 1;
      return 0;
    }
  };
  const text = { kind: 'text', text: `mutated ${index}` } as const;
  counts.changed += await attempt(files.change('m', { path, inPlace: index % 5 === 0 }, text));
  for (const name of readdirSync(originals)) {
    if (readFileSync(join(originals, name), 'utf8').includes('a secret')) counts.read += 1;
  }
  counts.restored += await attempt(files.restore('m', path));
  rmSync(originals, { recursive: true });
}
writeFileSync(1, `${JSON.stringify({ ...counts, isSame: about() === before })}\n`);
