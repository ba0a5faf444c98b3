import type { Need } from '../documents.js';
import { provideBench } from './bench.js';
import { provideClickHouse } from './clickhouse.js';
import type { Provide } from './provided.js';
import { provideReflector } from './reflector.js';
import { provideRegistry } from './registry.js';

/** How a document's run gets what its blocks need. A clone is too dear for each, see clone.test.ts. */
export const provide: Readonly<Record<Exclude<Need, 'clone'>, Provide>> = {
  bench: provideBench,
  clickhouse: provideClickHouse,
  reflector: provideReflector,
  registry: provideRegistry,
};
