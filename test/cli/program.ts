import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

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
  /** The user to run as; only root may choose. */
  readonly uid?: number;
}

/** Runs the built program to its end, away from the environment's colour settings. */
export function perturb(args: readonly string[], around: Surroundings = {}): Promise<Outcome> {
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

/** A directory of its own for a test, with these files; it goes when the test ends. */
export function directoryWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }), 120_000);
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
