import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.js';

const PROGRAM = resolve('dist/bin.cjs');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProcessSurroundings extends Surroundings {
  /** The user to run as; only root may choose. */
  readonly uid?: number;
}

/** What long work says every ten seconds: on a busy machine, any work may be long. */
const PROGRESS = /^perturb: (?:\d+ %|\d+ of \d+ [a-z ]+(?:, the next at \d+ %)?|.+: \d+ MB)\n/gm;

/**
 * Runs the program's main function to its end in this process, which takes a tenth of a start; its
 * progress is left out. It has its own directory and environment; what reads those of the process
 * takes `perturbProcess`.
 */
export async function perturb(
  args: readonly string[],
  around: Surroundings = {},
): Promise<Outcome> {
  const stdout = new Printed();
  const stderr = new Printed();
  const code = await main(args, {
    stdin: Readable.from([Buffer.from(around.stdin ?? '')], { objectMode: false }),
    stdout,
    stderr,
    env: { PATH: process.env['PATH'], ...around.env },
    cwd: around.cwd ?? process.cwd(),
  });
  return { code, stdout: stdout.text(), stderr: stderr.text().replace(PROGRESS, '') };
}

/** What a program prints to a pipe. */
class Printed {
  readonly #pieces: Uint8Array[] = [];

  write(text: string): void {
    this.#pieces.push(Buffer.from(text));
  }

  text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }
}

/** Runs the built program to its end, away from the environment's colour settings. */
export function perturbProcess(
  args: readonly string[],
  around: ProcessSurroundings = {},
): Promise<Outcome> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: around.cwd ?? process.cwd(),
    env: { PATH, ...around.env },
    ...(around.uid !== undefined && { uid: around.uid }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  // A program that ends before it has read its input closes the pipe.
  child.stdin.on('error', () => {});
  child.stdin.end(around.stdin ?? '');
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/** A directory that holds the built program as `perturb`, for a PATH. */
export function binDirectory(): string {
  const shim = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  const directory = directoryWith({ perturb: shim });
  chmodSync(join(directory, 'perturb'), 0o755);
  return directory;
}

/** Registers a clean-up, to run when a test, or a whole file of tests, has finished. */
export type OnFinished = (cleanUp: () => void) => void;

/** A directory with these files, removed when the test ends unless `onFinished` is given. */
export function directoryWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  onFinished: OnFinished = (cleanUp) => onTestFinished(cleanUp, 120_000),
): string {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-test-'));
  onFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return directory;
}

const measurement = `[[measurement]]
name = "No crash"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
`;

/** An objective without findings. */
export const CLEAN = `name = "Wind"

${measurement}
[stopping_conditions]
attempts = 10
`;

/** One error: line 1, columns 1 to 5. */
export const WRONG = `title = "Wind"\n${CLEAN}`;

/** One warning: line 1. */
export const WARNED = `name = "Wind"\n\n${measurement}`;
