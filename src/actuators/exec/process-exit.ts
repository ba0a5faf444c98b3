import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { killGroup } from '../../durable/index.js';
import { systemClock } from '../scheduling.js';

/** Why a process has failed. */
interface ProcessFailure {
  readonly code: 'not-started' | 'exit-code' | 'killed' | 'timed-out' | 'aborted';
  /** With the end of what it wrote to stderr. */
  readonly detail: string;
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
 * signal is aborted, it is killed at once. Processes of the group that outlive
 * their leader are waited for in neither case, and killed in both.
 *
 * @returns why it failed; undefined where it did not
 */
export function failureOf(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ProcessFailure | undefined> {
  let tail = Buffer.alloc(0);
  const listen = (chunk: Uint8Array) => {
    tail = Buffer.concat([tail, chunk]).subarray(-MOST_STDERR);
  };
  child.stderr?.on('data', listen);
  return new Promise((resolve) => {
    const end = (name: NodeJS.Signals) => {
      if (child.pid !== undefined) killGroup(child.pid, name);
    };
    let forced: 'timed-out' | 'aborted' | undefined;
    let disarm = systemClock.after(timeoutMs, () => {
      forced = 'timed-out';
      end('SIGTERM');
      disarm = systemClock.after(KILL_AFTER_MS, () => end('SIGKILL'));
    });
    const abort = () => {
      forced ??= 'aborted';
      end('SIGKILL');
    };
    const finish = (code?: ProcessFailure['code'], detail = '') => {
      disarm();
      signal?.removeEventListener('abort', abort);
      resolve(code && { code, detail });
    };
    const withStderr = (detail: string) => {
      const text = tail.toString();
      const stderr = (tail.length < MOST_STDERR ? text : text.replace(CUT_WORD, '')).trim();
      return stderr === '' ? detail : `${detail}, stderr: ${JSON.stringify(stderr)}`;
    };
    signal?.addEventListener('abort', abort, { once: true });
    child.once('error', (error) => finish('not-started', error.message));
    child.once('exit', async (code, name) => {
      disarm();
      if (forced !== undefined) end('SIGKILL');
      await drained(child);
      child.stderr?.off('data', listen);
      if (forced !== undefined) finish(forced, withStderr(`${timeoutMs} ms`));
      else if (code === 0) finish();
      else if (code !== null) finish('exit-code', withStderr(`code ${code}`));
      else finish('killed', withStderr(name ?? 'a signal'));
    });
  });
}

/**
 * Waits for the end of stderr, but not for long: a process in the background
 * may hold it. What that writes is then read and dropped, because closing stderr
 * would end that process when it next writes.
 */
function drained({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null || stderr.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    const disarm = systemClock.after(DRAIN_MS, () => {
      stderr.resume();
      (stderr as Socket).unref();
      resolve();
    });
    stderr.once('close', () => {
      disarm();
      resolve();
    });
  });
}
