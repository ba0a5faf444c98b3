/** The units of durations in nanoseconds, from large to small. */
export const UNITS: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  min: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  ns: 1n,
};

/** Nanoseconds in the largest unit of which they are a whole number. */
export function printDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const [name = 'ns', size = 1n] =
    Object.entries(UNITS).find(([, size]) => nanoseconds % size === 0n) ?? [];
  return `${nanoseconds / size}${name}`;
}
