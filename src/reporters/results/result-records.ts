import * as Type from 'typebox';
import { CONTRAST_KINDS } from '../../comparison/index.js';
import {
  BOOLEAN,
  COUNT,
  DIGITS,
  EVENT,
  mapOf,
  NUMBER,
  namedSchema,
  ORDER_AND_TOTALS,
  publish,
  RESULT_LISTS,
  type RecordOf,
  referenceTo,
  STATUS,
  TEXT,
  TEXTS,
  UNMATCHED_OPERAND,
  WORST_GROUPS,
  type Writable,
  withDescription,
} from '../../records/index.js';
import { BORDER_ENDS, OUTCOMES, SHRINK_ENDS } from '../../runner/index.js';
import type { Json } from '../../values/index.js';

/* The results that commands print with `--format json`. */

const { Array: list, Object: object, Optional: optional } = Type;

const VERSION = Type.Literal(1);
const METADATA = optional(
  withDescription(
    'The values of each key, from comments such as `# @requirement = "REQ-7"`.',
    mapOf(TEXTS),
  ),
);

/** The binding and group counts for an expression. */
const COUNTS = {
  ...ORDER_AND_TOTALS,
  groups: optional(
    object({
      all: COUNT,
      hold: optional(COUNT),
      left_out: optional(COUNT),
      cut_off: optional(COUNT),
      worst: WORST_GROUPS,
    }),
  ),
};

/** The evaluation details that journals store. */
const DETAILS = object({
  ...COUNTS,
  measures: optional(RESULT_LISTS.measures),
  labels: optional(RESULT_LISTS.labels),
  evidence: optional(RESULT_LISTS.evidence),
});

const UNMATCHED_OPERANDS = optional(list(UNMATCHED_OPERAND));

const EVALUATION = object({
  vacuous: BOOLEAN,
  met_nothing: UNMATCHED_OPERANDS,
  ...COUNTS,
  ...RESULT_LISTS,
  margin: optional(NUMBER),
  method: Type.Enum(['reachability', 'join tree', 'each event', 'enumeration']),
  undecided: optional(object({ clause: TEXT, reason: TEXT, help: TEXT })),
});

const MARGIN = optional(withDescription('Distance from failing; negative for a failure.', NUMBER));
const MEASURED = { name: TEXT, should_pass: BOOLEAN, status: STATUS };
const UNMATCHED = list(object({ label: TEXT, names: optional(TEXTS), near: optional(TEXT) }));

const RATE = {
  tried: COUNT,
  failed: COUNT,
  interval: optional(Type.Unsafe<readonly [number, number]>({ type: 'array', items: NUMBER })),
};

/** A parameter's value, in the format of attribute values. */
const VALUE = Type.Unsafe<Json>({});
const PARAMETER = {
  ...{ server: TEXT, id: TEXT, key: TEXT },
  timing: optional(Type.Enum(['onset', 'duration'])),
};

const SET = namedSchema(
  'set',
  list(
    object({
      server: TEXT,
      id: TEXT,
      name: TEXT,
      probe: optional(TEXT),
      params: Type.Unsafe<object>({ type: 'object' }),
      timing: optional(
        withDescription(
          "The mutation's onset and duration. The onset is measured from the start of the attempt, or from the time at which the precondition became true.",
          object({ onset_ms: optional(NUMBER), duration_ms: optional(NUMBER) }),
        ),
      ),
    }),
    { description: 'Mutations of one attempt.' },
  ),
);

const ATTEMPT = {
  bench: optional(withDescription('The bench of the attempt.', TEXT)),
  shrinks: optional(withDescription('The attempt that this attempt tries to shrink.', COUNT)),
  repeats: optional(
    withDescription('The attempt that this attempt repeats and belongs to.', COUNT),
  ),
  outcome: Type.Enum(OUTCOMES),
  set: SET,
  reasons: TEXTS,
  measurements: list(
    object({
      ...MEASURED,
      passed: optional(BOOLEAN),
      vacuous: BOOLEAN,
      met_nothing: UNMATCHED_OPERANDS,
      reason: optional(TEXT),
      margin: MARGIN,
      ...DETAILS.properties,
    }),
  ),
  events: COUNT,
  lost_lines: optional(COUNT),
  ms: NUMBER,
  command: optional(
    object({
      status: optional(Type.Integer()),
      signal: optional(TEXT),
      timed_out: optional(BOOLEAN),
      failure: optional(TEXT),
    }),
  ),
  guard_ms: optional(
    withDescription(
      "For a guarded attempt: time from the event's arrival to the first reset.",
      NUMBER,
    ),
  ),
  recovery: optional(object({ recovered: BOOLEAN, ms: NUMBER })),
};

const POSITION = object({ offset: COUNT, line: COUNT, column: COUNT });
const RANGE = namedSchema('range', object({ start: POSITION, end: POSITION }));

const FIX_MEMBERS = {
  title: TEXT,
  kind: withDescription(
    'Safe for the only plausible fix; suggested for one of several.',
    Type.Enum(['safe', 'suggested']),
  ),
  edits: list(object({ range: RANGE, text: TEXT })),
};
const FIX = namedSchema(
  'fix',
  object({
    ...FIX_MEMBERS,
    alternatives: optional(
      withDescription('Fixes for other possible intentions.', list(object(FIX_MEMBERS))),
    ),
  }),
);

/** The findings of lint and check commands. */
const FINDINGS = {
  summary: object({ files: COUNT, errors: COUNT, warnings: COUNT }),
  findings: list(
    object({
      rule: TEXT,
      severity: Type.Enum(['error', 'warning']),
      message: TEXT,
      help: optional(TEXT),
      file: TEXT,
      range: RANGE,
      related: optional(list(object({ message: TEXT, file: TEXT, range: RANGE }))),
      fix: optional(FIX),
      metadata: METADATA,
    }),
  ),
};

const NODE_REF = referenceTo<object>('node');
const NODE = optional(NODE_REF);
const NODES = optional(list(NODE_REF));
const SPAN = object({ start: COUNT, end: COUNT });
const TRUE = optional(Type.Literal(true));

const SYNTAX_TREE = namedSchema(
  'node',
  object(
    {
      kind: Type.Enum([
        ...(['expression', 'match', 'pattern', 'when', 'chain', 'arrow', 'concurrent'] as const),
        ...([
          'distinct',
          'filter',
          'aggregate',
          'measure',
          'all',
          'any',
          'by',
          'window',
          'call',
        ] as const),
        ...(['share', 'baseline', 'and', 'or', 'not', 'comparison', 'located', 'in'] as const),
        ...(['glob', 'exists', 'sum', 'product', 'abs', 'lower', 'attribute', 'name'] as const),
        ...(['string', 'integer', 'float', 'boolean', 'duration'] as const),
      ]),
      span: SPAN,
      ...{ match: NODE, when: NODE, filter: NODE, aggregate: NODE, bare: TRUE, patterns: NODES },
      ...{ absent: TRUE, condition: NODE, label: NODE, relations: NODES, labels: NODES },
      ...{ arrows: NODES, next: TRUE, within: NODE, measures: NODES, by: NODE, keys: NODES },
      ...{
        having: NODE,
        percent: NODE,
        time: NODE,
        size: NODE,
        left: NODE,
        comparator: optional(TEXT),
      },
      ...{ right: NODE, name: NODE, argument: NODE, term: NODE, operands: NODES },
      ...{ operand: NODE, event: NODE, probe: NODE, values: NODES, pattern: NODE },
      ...{ attribute: NODE, first: NODE },
      rest: optional(list(object({ sign: TEXT, signSpan: SPAN, operand: NODE_REF }))),
      ...{ signSpan: optional(SPAN), path: NODES, text: optional(TEXT), written: optional(TEXT) },
      value: optional(Type.Unsafe<unknown>({ type: ['number', 'string', 'boolean'] })),
    },
    {
      description:
        "A node of an expression's syntax tree; spans are UTF-16 offsets. Integers are exact, even beyond 2^53; durations are nanoseconds.",
    },
  ),
);

const DECIDING = optional(
  withDescription('Findings that affect the interpretation of verdicts.', FINDINGS.findings),
);

const MEASUREMENTS = object({
  objective: TEXT,
  headline: withDescription('The human-readable result in a sentence.', TEXT),
  passed: BOOLEAN,
  sessions: list(
    object({
      session: TEXT,
      passed: BOOLEAN,
      unread: optional(TEXTS),
      measurements: list(
        object({
          ...MEASURED,
          metadata: METADATA,
          passed: BOOLEAN,
          ...EVALUATION.properties,
          margin: MARGIN,
        }),
      ),
    }),
  ),
  all: list(
    object({
      name: TEXT,
      passed: COUNT,
      failed: COUNT,
      undecided: COUNT,
      vacuous: BOOLEAN,
      unmatched: optional(UNMATCHED),
      met_nothing: UNMATCHED_OPERANDS,
    }),
  ),
  findings: DECIDING,
});

const OF_ATTEMPT = object({ attempt: COUNT, ...ATTEMPT });
const OF_BASELINE = object({ baseline: COUNT, ...ATTEMPT });

const RUN = object({
  run: TEXT,
  headline: withDescription('The human-readable result in a sentence.', TEXT),
  objective: object({ name: TEXT, digest: TEXT }),
  measurements: list(object({ name: TEXT, metadata: METADATA })),
  only: optional(withDescription('The selectors of --only.', TEXTS)),
  seed: DIGITS,
  strategy: TEXT,
  directory: TEXT,
  elapsed_ms: NUMBER,
  end: optional(object({ reason: TEXT, detail: optional(TEXT) })),
  summary: object({
    attempts: COUNT,
    passed: COUNT,
    failed: COUNT,
    skipped: COUNT,
    inconclusive: COUNT,
    guarded: COUNT,
  }),
  shrinking: object({ attempts: COUNT, failed: COUNT }),
  vacuous: list(object({ measurement: TEXT, labels: UNMATCHED, met_nothing: UNMATCHED_OPERANDS })),
  unused: list(
    object({
      server: TEXT,
      id: TEXT,
      name: TEXT,
      probe: optional(TEXT),
      attempts: COUNT,
      attempt: COUNT,
      reasons: TEXTS,
    }),
    {
      description:
        'Planned mutators that were never in force in a counted attempt. `attempts` is the number of attempts that planned the mutator. `attempt` is an example, and `reasons` explains why the example did not count.',
    },
  ),
  findings: DECIDING,
  closest: list(object({ measurement: TEXT, attempt: COUNT, margin: NUMBER }), {
    description: 'The attempt closest to failing, for each measurement that never failed.',
  }),
  benches: optional(
    list(
      object({
        bench: TEXT,
        servers: optional(TEXTS),
        ...RATE,
        others: object(RATE),
        p: NUMBER,
        stands_out: BOOLEAN,
      }),
      {
        description: 'The failure rate of each bench, and its difference from the others (Fisher).',
      },
    ),
  ),
  baselines: list(OF_BASELINE),
  attempts: list(OF_ATTEMPT),
  repeated: list(
    object({ attempt: COUNT, ...RATE, verdict: Type.Enum(['often', 'seldom', 'undecided']) }),
    {
      description: 'The failure rates of repeated sets, with 95% confidence intervals.',
    },
  ),
  repeats: list(OF_ATTEMPT),
  shrunk: list(
    object({
      attempt: COUNT,
      measurement: optional(TEXT),
      set: SET,
      ...RATE,
      before: object(RATE),
      attempts: COUNT,
      ended: Type.Enum(SHRINK_ENDS),
      smaller: BOOLEAN,
      borders: list(
        object({
          ...PARAMETER,
          ended: Type.Enum(BORDER_ENDS),
          safe: VALUE,
          interval: list(VALUE),
          rises: list(VALUE),
          below: optional(object({ value: VALUE, ...RATE })),
          odd: list(object({ value: VALUE, ...RATE })),
        }),
        {
          description:
            "Each parameter's border: a 97% interval for the value at which the failure rate is half the failing set's rate.",
        },
      ),
      idle: list(object(PARAMETER)),
      interacts: BOOLEAN,
    }),
  ),
  in_force: list(object({ server: TEXT, id: TEXT, name: TEXT, bench: optional(TEXT) })),
});

const SIDE = object({
  count: COUNT,
  of: optional(COUNT),
  interval: optional(Type.Unsafe<readonly [number, number]>({ type: 'array', items: NUMBER })),
  low: optional(NUMBER),
  median: optional(NUMBER),
  high: optional(NUMBER),
});

const COMPARED_RUN = object({
  directory: TEXT,
  run: TEXT,
  objective: object({ name: TEXT, digest: TEXT }),
  compared: withDescription('Number of compared attempts.', COUNT),
  left_out: object({
    skipped: COUNT,
    inconclusive: COUNT,
    guarded: COUNT,
    guided: withDescription('Attempts whose sets were chosen by margins.', COUNT),
    unmatched: withDescription('Attempts without a counterpart in the other run.', COUNT),
  }),
  sessions_gone: COUNT,
});

const COMPARISON = object({
  verdict: Type.Enum(['worse', 'better', 'different', 'same', 'not comparable']),
  sentence: TEXT,
  level: withDescription('The family-wise error rate.', NUMBER),
  a: COMPARED_RUN,
  b: COMPARED_RUN,
  notes: TEXTS,
  differences: list(
    object({
      kind: Type.Enum(CONTRAST_KINDS),
      name: optional(withDescription('The measurement, or the event.', TEXT)),
      measure: optional(withDescription('The comparison whose left side was measured.', TEXT)),
      unit: optional(Type.Enum(['duration', 'time'])),
      a: SIDE,
      b: SIDE,
      pairs: optional(
        withDescription(
          'Number of pairs with the same set, if attempts are compared in pairs.',
          COUNT,
        ),
      ),
      delta: optional(
        withDescription(
          'The share of pairs in which B is greater minus the share in which B is smaller.',
          NUMBER,
        ),
      ),
      p: NUMBER,
      corrected: withDescription('The p-value corrected for all tests.', NUMBER),
      found: withDescription('True if the difference is statistically significant.', BOOLEAN),
      tendency: Type.Enum(['worse', 'better', 'other']),
    }),
    {
      description:
        "Rates have 95% confidence intervals (Fisher's exact test, for sets the sign test). Values have quartiles, absent if infinite (Wilcoxon signed-rank test for pairs, otherwise Mann-Whitney U test).",
    },
  ),
  sets: list(
    object({ fails_in: Type.Enum(['a', 'b']), set: SET, a: list(COUNT), b: list(COUNT) }),
    {
      description: 'The sets that failed in only one of the runs, with their attempts.',
    },
  ),
  visible: object(
    {
      more_failures: optional(COUNT),
      fewer_failures: optional(COUNT),
      share_of_pairs: optional(NUMBER),
    },
    {
      description:
        'The smallest detectable differences: the number of failures in B, or the share of pairs in which a value is greater in B.',
    },
  ),
});

const DIVERGING = object({ name: TEXT, event: optional(TEXT) });

const EXPLANATION = object({
  paragraph: withDescription('The explanation in a few sentences, for a ticket.', TEXT),
  objective: optional(TEXT),
  attempt: optional(COUNT),
  cause: optional(TEXT),
  set: optional(SET),
  nearest: optional(
    object(
      { attempt: COUNT, baseline: BOOLEAN, set: SET, distance: NUMBER, differences: TEXTS },
      {
        description:
          'The passing attempt with the most similar set, or a passing baseline attempt.',
      },
    ),
  ),
  failing: withDescription('Number of compared failing sessions.', COUNT),
  passing: withDescription('Number of compared passing sessions.', COUNT),
  statements: list(
    object({
      of: Type.Enum(['mutations', 'sessions']),
      title: TEXT,
      evidence: TEXT,
      notes: TEXTS,
      p: withDescription('Corrected for all comparisons.', NUMBER),
      significant: BOOLEAN,
    }),
  ),
  divergence: optional(
    object(
      {
        text: TEXT,
        note: optional(TEXT),
        probe: TEXT,
        common: COUNT,
        shared: withDescription(
          'Number of other passing sessions that continue like the failing session.',
          COUNT,
        ),
        others: COUNT,
        passing: DIVERGING,
        failing: DIVERGING,
      },
      { description: 'The first difference between the two sessions in causal order.' },
    ),
  ),
  notes: withDescription("The explanation's limitations.", TEXTS),
});

/** The schemas of all results, with the commands that print them. */
const RESULTS = [
  namedSchema(
    'findings',
    object(
      {
        version: VERSION,
        ...FINDINGS,
        expression: optional(SYNTAX_TREE),
      },
      { description: 'perturb objective lint, expression check, mutators lint' },
    ),
  ),
  namedSchema(
    'evaluation',
    object(
      {
        version: VERSION,
        status: STATUS,
        ...EVALUATION.properties,
        listed: optional(list(mapOf(EVENT))),
        findings: DECIDING,
      },
      { description: 'perturb expression eval' },
    ),
  ),
  namedSchema(
    'measurements',
    object(
      {
        version: VERSION,
        summary: optional(FINDINGS.summary),
        ...MEASUREMENTS.properties,
      },
      {
        description:
          'perturb objective measure. For an objective with errors, the result has findings but no sessions.',
      },
    ),
  ),
  namedSchema(
    'run',
    object(
      { version: VERSION, ...RUN.properties },
      { description: 'perturb objective run, runs show, runs replay' },
    ),
  ),
  namedSchema(
    'attempt',
    object(
      {
        version: VERSION,
        ...OF_ATTEMPT.properties,
        session: TEXT,
        output: optional(TEXT),
        repeat: TEXT,
      },
      { description: 'perturb runs show --attempt' },
    ),
  ),
  namedSchema(
    'comparison',
    object({ version: VERSION, ...COMPARISON.properties }, { description: 'perturb runs compare' }),
  ),
  namedSchema(
    'explanation',
    object(
      { version: VERSION, ...EXPLANATION.properties },
      { description: 'perturb runs explain, session compare' },
    ),
  ),
];

export type DetailsJson = Writable<RecordOf<typeof DETAILS>>;
export type EvaluationJson = Writable<RecordOf<typeof EVALUATION>>;
export type MeasuredObjectiveJson = MeasurementsJson['sessions'][number]['measurements'][number];
export type MeasurementsJson = Writable<RecordOf<typeof MEASUREMENTS>>;
/** A run's result. Attempts are converted one at a time during serialization, because there may be many. */
export type RunJson = Omit<Writable<RecordOf<typeof RUN>>, 'attempts'> & {
  readonly attempts: readonly { toJSON(): AttemptJson }[];
};
export type ComparisonJson = Writable<RecordOf<typeof COMPARISON>>;
export type ExplanationJson = Writable<RecordOf<typeof EXPLANATION>>;
export type AttemptJson = Writable<RecordOf<typeof OF_ATTEMPT>>;

/**
 * Returns the JSON Schema (draft-07) of all results that commands print with `--format json`. Each
 * result has its own definition. Members may be added without a new version, and readers ignore
 * unknown members.
 */
export function resultSchema(title: string): object {
  const { schema, definitions } = publish(RESULTS, '#/definitions/');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    anyOf: schema,
    definitions,
  };
}
