import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** A file that shall have the extended attributes of another. */
interface Copy {
  readonly from: string;
  readonly to: string;
  readonly done: () => void;
}

/** Node cannot read extended attributes. A `cp` that cannot either leaves them out. */
const OPTIONS = ['--attributes-only', '--preserve=mode,xattr', '--'];

/** Copies for each pair of lines, and answers it with an empty line. */
const SCRIPT = `while IFS= read -r from && IFS= read -r to; do
  cp ${OPTIONS.join(' ')} "$from" "$to"
  echo
done 2>/dev/null`;

/** What takes longer is given up. */
const LONGEST_MS = 10_000;

/** How long an idle shell is kept. */
const IDLE_MS = 1_000;

/**
 * A shell that runs `cp` for one pair after another. Node stands still for
 * milliseconds whenever it starts a process, as large as it is; a shell does not.
 */
class CopyingShell {
  readonly #child: ChildProcess;
  readonly #onEnd: (left: readonly Copy[]) => void;
  #waiting: Copy[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param onEnd called with what is still to be done when it takes no more */
  constructor(onEnd: (left: readonly Copy[]) => void) {
    this.#onEnd = onEnd;
    // In a session of its own, for a Ctrl-C is not meant for it.
    this.#child = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const { stdin, stdout } = this.#child;
    for (const pipe of [stdin, stdout]) (pipe as Socket).unref();
    stdin?.on('error', () => {});
    stdout?.on('data', (answers: Uint8Array) => {
      for (const { done } of this.#take(answers.length)) done();
    });
    this.#child.once('error', () => this.#end(this.#waiting.length));
    this.#child.once('exit', () => this.#end(1));
  }

  copy(copy: Copy): void {
    this.#waiting.push(copy);
    this.#child.stdin?.write(`${copy.from}\n${copy.to}\n`);
    if (this.#waiting.length === 1) this.#watch();
  }

  #take(count: number): Copy[] {
    const taken = this.#waiting.splice(0, count);
    this.#watch();
    return taken;
  }

  /** An idle shell does not keep the process alive. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0) {
      this.#child.ref();
      this.#timer = setTimeout(() => this.#kill(), LONGEST_MS);
    } else {
      this.#child.unref();
      this.#timer = setTimeout(() => this.#end(0), IDLE_MS).unref();
    }
  }

  /** Takes no more. The first ones are given up: what has ended the shell may be their doing. */
  #end(given: number): void {
    const [first, left] = [this.#waiting.slice(0, given), this.#waiting.slice(given)];
    this.#waiting = [];
    clearTimeout(this.#timer);
    this.#child.stdin?.end();
    this.#onEnd(left);
    for (const { done } of first) done();
  }

  /** With the `cp` that it waits for. */
  #kill(): void {
    try {
      process.kill(-(this.#child.pid as number), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

let shell: CopyingShell | undefined;

/** Gives a file the extended attributes of another, access lists included, as far as can be. */
export function copyAttributes(from: string, to: string): Promise<void> {
  if (process.platform !== 'linux') return Promise.resolve();
  return new Promise((done) => {
    if (!`${from}${to}`.includes('\n')) pass({ from, to, done });
    // The shell would take the name for two.
    else execFile('cp', [...OPTIONS, from, to], { timeout: LONGEST_MS }, () => done());
  });
}

function pass(copy: Copy): void {
  if (shell === undefined) {
    const begun = new CopyingShell((left) => {
      if (shell === begun) shell = undefined;
      for (const one of left) pass(one);
    });
    shell = begun;
  }
  shell.copy(copy);
}
