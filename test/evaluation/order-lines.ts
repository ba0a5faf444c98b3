/** Records of the neutral form: `PROBE name`, with a time in milliseconds, an id and the ids that it follows. */
export type Line = readonly [
  what: string,
  ms?: number | undefined,
  id?: string | undefined,
  ...after: string[],
];

export function lines(...events: readonly Line[]): string {
  const records = events.map(([what, ms, id, ...after]) => {
    const [probe, name] = what.split(' ');
    const time = ms === undefined ? undefined : ms * 1_000_000;
    return JSON.stringify({ probe, name, time, id, after });
  });
  return records.join('\n');
}
