/** What is known of a value before any comparison speaks of it. */
export interface Nature {
  readonly least?: bigint;
  readonly integer?: boolean;
}

/** What an aggregate function takes and gives. */
export interface AggregateFunction {
  readonly argument: 'none' | 'attribute';
  /** What is known of its values, if anything. */
  readonly nature?: Nature;
  /** It has a value even when there is nothing to compute over. */
  readonly total?: true;
}

/** The functions of AGGREGATE (spec: trace expressions, "Meaning", 4). */
export const FUNCTIONS: ReadonlyMap<string, AggregateFunction> = new Map([
  ['count', { argument: 'none', nature: { least: 0n, integer: true }, total: true }],
  ['max', { argument: 'attribute' }],
  ['min', { argument: 'attribute' }],
  ['mean', { argument: 'attribute' }],
  ['sum', { argument: 'attribute' }],
  ['stddev', { argument: 'attribute', nature: { least: 0n } }],
]);
