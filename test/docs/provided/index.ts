import type { Need } from '../documents.js';
import { provideBench } from './bench.js';
import { provideClickHouse } from './clickhouse.js';
import { providePacked } from './packed.js';
import type { Provide } from './provided.js';
import { provideReflector } from './reflector.js';

/** How a document's run gets what its blocks need. For a clone, see clone.test.ts. */
export const provide: Readonly<Record<Exclude<Need, 'clone' | 'suite'>, Provide>> = {
  bench: provideBench,
  clickhouse: provideClickHouse,
  packed: providePacked,
  reflector: provideReflector,
};
