/** Returns this machine's time in nanoseconds since 1970, at the available precision. Never decreases. */
export function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}
