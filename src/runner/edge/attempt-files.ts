import { join } from 'node:path';

/** Where the session of an attempt is, and what it is made of. */
export function attemptFiles(directory: string, n: number) {
  return {
    session: join(directory, `${n}.jsonl`),
    /** What the command writes. */
    events: join(directory, `${n}.events.jsonl`),
    output: join(directory, `${n}.output`),
  };
}

/** The variable by which the processes of an attempt are known: it holds its file of events. */
export const TOKEN = 'PERTURB_SESSION';
