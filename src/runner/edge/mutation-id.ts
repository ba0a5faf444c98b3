import { createHash } from 'node:crypto';

/**
 * The UUID of a mutation: another one for each attempt of each run, and the same when the attempt is
 * repeated after an interruption (version 8 of RFC 9562, whose bits are the maker's own).
 */
export function mutationId(run: string, n: number, at: number): string {
  const hex = createHash('sha256').update(`${run} ${n} ${at}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
