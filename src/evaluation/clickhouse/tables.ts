import type { Database } from './database.js';

/*
 * The attributes of an event lie in maps by kind: of 128 bits, so that no integer is rounded;
 * any text may be a name, and a name may be of several kinds.
 */
const TABLES: readonly string[] = [
  `create table if not exists perturb_events (
    session String,
    probe UInt32,
    probe_name LowCardinality(String),
    seq UInt32,
    seg UInt32,
    name LowCardinality(Nullable(String)),
    integers Map(LowCardinality(String), Int128),
    floats Map(LowCardinality(String), Float64),
    strings Map(LowCardinality(String), String),
    booleans Map(LowCardinality(String), Bool),
    others Map(LowCardinality(String), String)
  ) engine = MergeTree order by (session, probe, seq)`,
  `create table if not exists perturb_clocks (
    session String,
    seg UInt32,
    probe UInt32,
    first UInt32,
    clock Array(UInt32)
  ) engine = MergeTree order by (session, seg, first)`,
  `create table if not exists perturb_sessions (
    session String,
    name String,
    source String,
    probes UInt32,
    events UInt64,
    receives UInt64,
    loaded DateTime64(3) default now64(3)
  ) engine = MergeTree order by session`,
];

/** Makes the tables that are not there yet. */
export async function createTables(db: Database): Promise<void> {
  for (const statement of TABLES) await db.command(statement);
}
