const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A duration as an objective writes it, as in `2h 30min`. @param written milliseconds */
export function durationText(written: string): string {
  let rest = Number(written);
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const amount = Math.floor(rest / size);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * size;
  }
  if (rest > 0) parts.push(`${Number(rest.toPrecision(12))}ms`);
  return parts.join(' ');
}
