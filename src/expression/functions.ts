/** What an aggregate function takes and gives. */
export interface AggregateFunction {
  readonly argument: 'none' | 'attribute';
  /** Its smallest value, where it has one. */
  readonly least?: bigint;
  readonly integer?: true;
  /** It has a value even when there is nothing to compute over. */
  readonly total?: true;
}

/** The functions of AGGREGATE (spec: trace expressions, "Meaning", 4). */
export const FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map([
  ['count', { argument: 'none', least: 0n, integer: true, total: true }],
  ['max', { argument: 'attribute' }],
  ['min', { argument: 'attribute' }],
  ['mean', { argument: 'attribute' }],
  ['sum', { argument: 'attribute' }],
  ['stddev', { argument: 'attribute', least: 0n }],
]);
