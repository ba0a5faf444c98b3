import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { killGroup } from '../../durable/index.js';
import { waitFor } from '../scheduling.js';

/** The failure of a process. */
export interface ProcessFailure {
  readonly code: 'not-started' | 'exit-code' | 'killed' | 'timed-out' | 'aborted';
  /** The details, including the end of the process's stderr. */
  readonly detail: string;
  /** The exit status, if the process exited normally. */
  readonly exit?: number;
}

const MAX_STDERR_BYTES = 2_048;
/**
 * Matches a truncated word at the start of a text. The word may be the end of a secret, which the log would not
 * recognize.
 */
const CUT_WORD = /^\S{0,1024}/;
/** Grace period for a process group to exit after its timeout. */
const GRACE_MS = 1_000;
/** Timeout for reading the rest of stderr after the process has exited. */
const DRAIN_MS = 200;

/**
 * Waits for a process group leader to exit. On a timeout, sends SIGTERM to the whole group, and SIGKILL soon after. If
 * the signal is aborted, or if another process kills the leader, kills the group at once. In all of these cases, also
 * kills processes that outlive the leader, without waiting for them to exit.
 *
 * @returns the failure; undefined if the process succeeded
 */
export async function waitForExit(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ProcessFailure | undefined> {
  let tail = Buffer.alloc(0);
  const listen = (chunk: Uint8Array) => {
    tail = Buffer.concat([tail, chunk]).subarray(-MAX_STDERR_BYTES);
  };
  child.stderr?.on('data', listen);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let outcome: Awaited<typeof exit> | 'timed-out' | 'aborted';
  try {
    outcome = await waitFor(exit, timeoutMs, signal);
  } catch (error) {
    return { code: 'not-started', detail: (error as Error).message };
  }
  const killProcesses = (name: NodeJS.Signals) =>
    child.pid !== undefined && killGroup(child.pid, name);
  if (outcome === 'timed-out') {
    killProcesses('SIGTERM');
    await waitFor(exit, GRACE_MS, signal);
  }
  if (typeof outcome === 'string') killProcesses('SIGKILL');
  const [code, name] = await exit;
  // The group's other processes may have survived the leader.
  if (code === null) killProcesses('SIGKILL');
  await drainStderr(child);
  child.stderr?.off('data', listen);
  const text = tail.toString();
  const stderr = (tail.length < MAX_STDERR_BYTES ? text : text.replace(CUT_WORD, '')).trim();
  const describeFailure = (code: ProcessFailure['code'], detail: string) => {
    return {
      code,
      detail: stderr === '' ? detail : `${detail}, stderr: ${JSON.stringify(stderr)}`,
    };
  };
  if (typeof outcome === 'string') return describeFailure(outcome, `${timeoutMs} ms`);
  if (code === 0) return undefined;
  if (code === null) return describeFailure('killed', name ?? 'a signal');
  return { ...describeFailure('exit-code', `code ${code}`), exit: code };
}

/**
 * Waits briefly for the end of stderr, which a background process may keep open. Reads and drops any later output,
 * because closing stderr would end the background process on its next write.
 */
async function drainStderr({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null || stderr.readableEnded) return;
  if ((await waitFor(once(stderr, 'close'), DRAIN_MS, undefined)) !== 'timed-out') return;
  stderr.resume();
  (stderr as Socket).unref();
}
