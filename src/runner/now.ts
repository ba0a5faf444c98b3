/** The time of this machine in nanoseconds since 1970, as precisely as it is known; it never steps back. */
export function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}
