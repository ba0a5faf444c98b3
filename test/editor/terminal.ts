import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import type { Surroundings } from './editors.js';

/** After this, what is waited for will not come; the error has the screen. */
const PATIENCE_MS = 30_000;
const SIZE = { rows: 30, cols: 110 };

/** A program on a terminal of its own, which "script" makes, and the screen that it paints. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
  #waiting: (() => void)[] = [];

  constructor(command: string, around: Surroundings) {
    const sized = `stty rows ${SIZE.rows} cols ${SIZE.cols}; exec ${command}`;
    this.#child = spawn('script', ['--quiet', '--flush', '--command', sized, '/dev/null'], {
      ...around,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void this.#child.kill('SIGKILL'));
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#screen.write(chunk, () => this.#wake());
    });
    // What a program asks of its terminal, such as where the cursor is.
    this.#screen.onData((answer) => this.type(answer));
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** The screen as text. */
  text(): string {
    const { active } = this.#screen.buffer;
    return Array.from({ length: SIZE.rows }, (_, row) =>
      (active.getLine(row)?.translateToString(true) ?? '').trimEnd(),
    ).join('\n');
  }

  /** Waits until the screen shows something, or does not any more. */
  async shows(pattern: RegExp, isShown = true): Promise<void> {
    const tooLong = setTimeout(() => this.#wake(), PATIENCE_MS);
    const started = Date.now();
    while (pattern.test(this.text()) !== isShown) {
      if (Date.now() - started >= PATIENCE_MS) {
        throw new Error(`${pattern} is ${isShown ? 'not ' : ''}on the screen:\n${this.text()}`);
      }
      await new Promise<void>((done) => this.#waiting.push(done));
    }
    clearTimeout(tooLong);
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async ended(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) await once(this.#child, 'exit');
  }
}
