import { createHash } from 'node:crypto';
import { canonicalJson, type Objective } from '../../objective/index.js';
import type { Space } from '../plan/space.js';

/** What tells an objective from others: of what it means, not of how it is written. */
export function objectiveDigest(objective: Objective): string {
  return sha256(canonicalJson(objective));
}

/** What tells the mutators that may be planned, and their values, from others. */
export function spaceDigest({ mutators, most }: Space): string {
  const shown = mutators.map(({ server, id, name, probe, dimensions }) => ({
    server,
    id,
    name,
    probe,
    dimensions,
  }));
  return sha256(
    JSON.stringify({ mutators: shown, most }, (_, value) => {
      if (typeof value === 'bigint') return `${value}n`;
      return Object.is(value, -0) ? '-0' : value;
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
