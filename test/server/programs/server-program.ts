import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { OnFinished } from '../../cli/program.js';

const PROGRAM = resolve('dist/bin.cjs');

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The executable to start instead of `perturb serve mutators`. */
  readonly executable?: string;
  /** The descriptor of its stdin, in place of a pipe that is closed when it has ended. */
  readonly stdin?: number;
  /** Whether it has a session of its own. */
  readonly detached?: boolean;
  /** Registers its end, in place of the end of the test. */
  readonly onFinished?: OnFinished;
}

/** How a program ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server in a process of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** Resolves when it has ended, and all that it said has been read. */
  readonly exit: Promise<Exit>;
  /** What it has said so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until it says something that fits; rejects when it ends before, or says nothing that fits for minutes. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** More than any text takes on a busy machine, and less than the tests of many kills may take. */
const LONGEST_WAIT_MS = 180_000;

/** Starts `perturb serve mutators` with arguments; it is killed when the test ends, unless told otherwise. */
export function startProgram(args: readonly string[], around: Surroundings): Program {
  const { PATH } = process.env;
  const [command, ...first] =
    around.executable === undefined
      ? [process.execPath, PROGRAM, 'serve', 'mutators']
      : [around.executable];
  const child = spawn(command as string, [...first, ...args], {
    cwd: around.cwd,
    env: { PATH, ...around.env },
    detached: around.detached ?? false,
    stdio: [around.stdin ?? 'pipe', 'pipe', 'pipe'],
  });
  const { onFinished = onTestFinished } = around;
  onFinished(() => void child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  }
  child.stdin?.on('error', () => {});
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  return {
    child,
    exit,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    async said(pattern) {
      let ended = false;
      void exit.then(() => {
        ended = true;
      });
      const patience = AbortSignal.timeout(LONGEST_WAIT_MS);
      for (;;) {
        const found = pattern.exec(texts.stderr);
        if (found !== null) return found;
        if (ended) throw new Error(`it ended without ${pattern}: ${texts.stderr}`);
        if (patience.aborted) throw new Error(`it does not say ${pattern}: ${texts.stderr}`);
        const more = once(child.stderr as Readable, 'data', { signal: patience });
        await Promise.race([more.catch(() => {}), exit]);
      }
    },
  };
}

/** Starts a server on a free port, and waits until it serves; gives the URL of its API too. */
export async function startServer(
  args: readonly string[],
  around: Surroundings,
): Promise<Program & { readonly url: string }> {
  const program = startProgram(['--port', '0', ...args], around);
  const [, url] = await program.said(
    /^Serving .* at (\S+)\n(?:.*\n)*Ctrl-C .* stops the server\.$/m,
  );
  return { ...program, url: url as string };
}

/** Asks a server; gives the status of its answer. */
export async function ask(url: string, method: string, body?: object): Promise<number> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  await response.arrayBuffer();
  return response.status;
}

export const MUTATION = '6f1c3a1e-58b5-4f5c-a2c4-8a1f4b3c2d1e';

/** Injects; gives the status of the answer. */
export function inject(url: string, id: string, params: object = {}): Promise<number> {
  return ask(`${url}/mutator/${id}/mutation`, 'POST', { mutation: MUTATION, params });
}

/** Resets; gives the status of the answer. */
export function reset(url: string, id: string): Promise<number> {
  return ask(`${url}/mutator/${id}/mutation`, 'DELETE');
}
