import { existsSync, readdirSync } from 'node:fs';
import type { Params } from '../shared/script.js';

/** The clock of a process under libfaketime. */
export interface FakedClock {
  /** The offset of the process's clock from real time when the process starts, in seconds. */
  readonly offset: number;
  /** Seconds on the process's clock per real second. */
  readonly rate: number;
}

/**
 * Returns the clock for a fault.
 *
 * @throws Error for an unknown fault
 */
export function clockOf(fault: string, { seconds, rate }: Params): FakedClock {
  if (fault === 'ahead') return { offset: Number(seconds), rate: 1 };
  // Avoids -0.
  if (fault === 'behind') return { offset: 0 - Number(seconds), rate: 1 };
  if (fault === 'drift') return { offset: 0, rate: Number(rate) };
  throw new Error(`unknown fault ${fault}, expected one of ahead, behind, drift`);
}

/** Parses a libfaketime file in the mutators' format; undefined for any other format. */
export function parseFaketime(text: string): FakedClock | undefined {
  const [, offset, rate] = /^([+-]\d+) x(\d[\d.e+-]*)\s*$/.exec(text) ?? [];
  return offset === undefined ? undefined : { offset: Number(offset) + 0, rate: Number(rate) };
}

/** Two times read by a process with libfaketime, in milliseconds. */
export interface ClockReading {
  readonly first: number;
  readonly second: number;
  /** Minimum and maximum time between the two readings. */
  readonly minMs: number;
  readonly maxMs: number;
  /** The real times before and after the two readings. */
  readonly before: number;
  readonly after: number;
}

const SLACK_MS = 1_000;
const RATE_SLACK_MS = 3;

/** Returns the reason why a reading does not match a clock; undefined if it matches. */
export function explainMismatch(clock: FakedClock, reading: ClockReading): string | undefined {
  const { offset, rate } = clock;
  const { first, second, minMs, maxMs, before, after } = reading;
  if (rate === 1) {
    const expectedFirst = first - offset * 1_000;
    if (expectedFirst >= before - SLACK_MS && expectedFirst <= after + SLACK_MS) return undefined;
    return `a process's clock is ${Math.round(first - before) / 1_000} s ahead, expected ${offset} s`;
  }
  const elapsed = second - first;
  const isAsExpected =
    elapsed >= rate * minMs - RATE_SLACK_MS && elapsed <= rate * maxMs + RATE_SLACK_MS;
  if (isAsExpected) return undefined;
  return `a process's clock advances ${elapsed} ms in ${Math.round(minMs)} ms, expected a rate of ${rate}`;
}

/** Prefixes of library directories on Debian, by processor architecture. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };
const ROOTS = ['/usr/lib', '/usr/lib64', '/usr/local/lib'];

/** Finds libfaketime for this processor architecture in the library directories of Linux distributions. */
export function findLibrary(): string | undefined {
  const machine = `${MACHINES[process.arch]}-linux`;
  const directories = ROOTS.filter((root) => existsSync(root)).flatMap((root) => {
    const matches = readdirSync(root).filter((name) => name.startsWith(machine));
    return [...matches.map((name) => `${root}/${name}`), root];
  });
  return directories
    .map((directory) => `${directory}/faketime/libfaketime.so.1`)
    .find((path) => existsSync(path));
}
