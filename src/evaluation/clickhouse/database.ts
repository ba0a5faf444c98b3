/** What the engine needs of a ClickHouse server, and no more: text in, rows out. */
export interface Database {
  /** Runs a statement that gives no rows. */
  command(statement: string): Promise<void>;
  /** Runs a query; numbers beyond a double's are asked for as texts. */
  rows(query: string): Promise<readonly (readonly unknown[])[]>;
  /** Inserts rows, as they come, into all columns of a table. */
  insert(table: string, rows: Iterable<readonly unknown[]>): Promise<void>;
  close(): Promise<void>;
}

/** A server that cannot be used, or not for this. The message is for people. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/** A limit of the server was met: on time, memory or rows. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/** A text as a literal. */
export function literal(text: string): string {
  const escaped = text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

/** An integer of any size as a literal of 256 bits. */
export function int256(value: bigint): string {
  return `toInt256('${value}')`;
}

/** A finite double as a literal, exactly. */
export function float64(value: number): string {
  return `toFloat64('${Object.is(value, -0) ? 0 : value}')`;
}
