/** What the clauses of an expression are for, by their keyword, in Markdown. */
export const CLAUSES: Readonly<Record<string, string>> = {
  MATCH: 'The patterns of events, each with a label: `(condition) AS label`.',
  AS: 'Names the event that a pattern matches.',
  WHEN: 'Keeps the bindings whose events happened in this order: `a -> b`.',
  FILTER: 'Keeps the bindings whose attributes satisfy a condition: `a.id = b.id`.',
  AGGREGATE: 'Compares what is computed over all bindings that are left: `count() > 0`.',
};

/** What the functions of AGGREGATE compute, by their name, in Markdown. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  count: '`count()`: the number of bindings.',
  max: '`max(label.attribute)`: the largest value; undefined without any.',
  min: '`min(label.attribute)`: the smallest value; undefined without any.',
  mean: '`mean(label.attribute)`: the arithmetic mean; undefined without any value.',
  sum: '`sum(label.attribute)`: the sum; undefined without any value.',
  stddev:
    '`stddev(label.attribute)`: the sample standard deviation; undefined with fewer than two values.',
};
