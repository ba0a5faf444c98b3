import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { killGroup } from '../../durable/index.js';
import { waitFor } from '../scheduling.js';

/** Why a process has failed. */
export interface ProcessFailure {
  readonly code: 'not-started' | 'exit-code' | 'killed' | 'timed-out' | 'aborted';
  /** With the end of what it wrote to stderr. */
  readonly detail: string;
  /** Its exit status, if it ended by itself. */
  readonly exit?: number;
}

const MOST_STDERR = 2_048;
/** A word that was cut may be the rest of a secret, which the log would not recognize. */
const CUT_WORD = /^\S{0,1024}/;
/** How long a process group may take to end by itself when its time is over. */
const KILL_AFTER_MS = 1_000;
/** How long the end of stderr may take to arrive when the process has ended. */
const DRAIN_MS = 200;

/**
 * Waits for the end of a process that leads a group of its own. When its time
 * is over, the whole group is told to end, and killed soon after; when the
 * signal is aborted, or somebody kills the leader, it is killed at once. Processes of
 * the group that outlive their leader are waited for in no case, and killed in all of these.
 *
 * @returns why it failed; undefined where it did not
 */
export async function failureOf(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ProcessFailure | undefined> {
  let tail = Buffer.alloc(0);
  const listen = (chunk: Uint8Array) => {
    tail = Buffer.concat([tail, chunk]).subarray(-MOST_STDERR);
  };
  child.stderr?.on('data', listen);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let ended: Awaited<typeof exit> | 'timed-out' | 'aborted';
  try {
    ended = await waitFor(exit, timeoutMs, signal);
  } catch (error) {
    return { code: 'not-started', detail: (error as Error).message };
  }
  const end = (name: NodeJS.Signals) => child.pid !== undefined && killGroup(child.pid, name);
  if (ended === 'timed-out') {
    end('SIGTERM');
    await waitFor(exit, KILL_AFTER_MS, signal);
  }
  if (typeof ended === 'string') end('SIGKILL');
  const [code, name] = await exit;
  // Whoever killed it may have left the rest of its group.
  if (code === null) end('SIGKILL');
  await drained(child);
  child.stderr?.off('data', listen);
  const text = tail.toString();
  const stderr = (tail.length < MOST_STDERR ? text : text.replace(CUT_WORD, '')).trim();
  const failed = (code: ProcessFailure['code'], detail: string) => {
    return {
      code,
      detail: stderr === '' ? detail : `${detail}, stderr: ${JSON.stringify(stderr)}`,
    };
  };
  if (typeof ended === 'string') return failed(ended, `${timeoutMs} ms`);
  if (code === 0) return undefined;
  if (code === null) return failed('killed', name ?? 'a signal');
  return { ...failed('exit-code', `code ${code}`), exit: code };
}

/**
 * Waits for the end of stderr, but not for long: a process in the background
 * may hold it. What that writes is then read and dropped, because closing stderr
 * would end that process when it next writes.
 */
async function drained({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null || stderr.readableEnded) return;
  if ((await waitFor(once(stderr, 'close'), DRAIN_MS, undefined)) !== 'timed-out') return;
  stderr.resume();
  (stderr as Socket).unref();
}
