/**
 * An objective for a rule's example: the lines, and what else it needs to be
 * complete. Lines with the top-level `name` or tables of their own replace it.
 */
export function example(lines: string, rest = MEASUREMENT_AND_STOP): string {
  return `name = "Wind"\n\n${lines.trim()}\n${rest === '' ? '' : `\n${rest}`}`;
}

export const MEASUREMENT = `[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
`;

export const STOP = `[stopping_conditions]
attempts = 10
`;

const MEASUREMENT_AND_STOP = `${MEASUREMENT}\n${STOP}`;
