import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Finding } from '../../diagnostics/index.js';
import { SourceFile } from '../../source/index.js';
import { FileQueue } from './file-queue.js';
import { type LintWork, lintFromQueue, type Noted } from './lint-files.js';
import { LINT_THREAD } from './thread-name.js';

/** Fewer files are sooner checked by the threads that run already. */
const FILES_PER_THREAD = 7_500;
const MOST_THREADS = 8;
/** V8's room for young objects: a thread keeps no file after its check, and more room would only add up. */
const YOUNG_MB = 8;

function threadsFor({ length }: readonly string[]): number {
  return Math.min(availableParallelism(), MOST_THREADS, Math.ceil(length / FILES_PER_THREAD));
}

/**
 * Checks files in several threads, this one among them.
 *
 * @param program the file that started the program, and starts its threads
 * @param step is called after each file that this thread checked
 * @returns what there is to say, by file
 */
export async function lintInThreads(
  program: string,
  task: Omit<LintWork, 'queue'>,
  step: () => void,
): Promise<readonly Noted[]> {
  const work: LintWork = { ...task, queue: FileQueue.memory() };
  const others = threadsFor(task.files) - 1;
  const workers = Array.from({ length: others }, () => {
    const worker = new Worker(realpathSync(program), {
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      argv: [LINT_THREAD],
      workerData: work,
    });
    const answer = new Promise<readonly Noted[]>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    return { worker, answer };
  });
  const { noted: own, count } = lintFromQueue(work, step);
  if (count === task.files.length) {
    // The others started too late to take a file.
    for (const { worker } of workers) void worker.terminate();
    return own;
  }
  const theirs = (await Promise.all(workers.map(({ answer }) => answer))).flat().map(revive);
  return [...own, ...theirs].sort((a, b) => a.index - b.index);
}

/** Runs in a thread that `lintInThreads` started; returns false in any other. */
export function runLintThread(): boolean {
  if (parentPort === null) return false;
  parentPort.postMessage(lintFromQueue(workerData as LintWork, () => {}).noted);
  return true;
}

/** Gives findings that crossed between threads their file again, which arrived as plain data. */
function revive(noted: Noted): Noted {
  if ('unread' in noted) return noted;
  const files = new Map<SourceFile, SourceFile>();
  const revived = (plain: SourceFile): SourceFile => {
    const file = files.get(plain) ?? new SourceFile(plain.path, plain.text, plain.bom);
    files.set(plain, file);
    return file;
  };
  const findings = noted.findings.map(
    (finding): Finding => ({
      ...finding,
      file: revived(finding.file),
      ...(finding.related && {
        related: finding.related.map((other) => ({ ...other, file: revived(other.file) })),
      }),
    }),
  );
  return { index: noted.index, findings };
}
