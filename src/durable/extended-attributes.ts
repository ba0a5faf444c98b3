import { spawn } from 'node:child_process';

/** A file that shall have the extended attributes of another. */
interface Copy {
  readonly from: string;
  readonly to: string;
  readonly done: () => void;
}

/**
 * Copies for each pair of paths. Node has no way to extended attributes, so
 * that `cp` does it; one that cannot, or a file system without any, copies none.
 */
const SCRIPT = `while [ $# -gt 0 ]; do
  cp --attributes-only --preserve=mode,xattr -- "$1" "$2"
  shift 2
done 2>/dev/null`;

/** What takes longer is given up. */
const LONGEST_MS = 10_000;

/** So that the paths fit into a command line. */
const MOST_AT_ONCE = 16;

let waiting: Copy[] = [];
let isRunning = false;

/** Gives a file the extended attributes of another, access lists included; a few at a time. */
export function copyAttributes(from: string, to: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  return new Promise((done) => {
    waiting.push({ from, to, done });
    if (!isRunning) runAll();
  });
}

/** Copies what waits with one shell, for it takes long to start one. */
function runAll(): void {
  const batch = waiting.slice(0, MOST_AT_ONCE);
  waiting = waiting.slice(MOST_AT_ONCE);
  isRunning = batch.length > 0;
  if (!isRunning) return;
  const args = ['-c', SCRIPT, 'sh', ...batch.flatMap(({ from, to }) => [from, to])];
  const shell = spawn('/bin/sh', args, { stdio: 'ignore', timeout: LONGEST_MS });
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    for (const { done } of batch) done();
    runAll();
  };
  shell.once('error', finish).once('exit', finish);
}
