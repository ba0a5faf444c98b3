import * as Type from 'typebox';
import {
  BOOLEAN,
  COUNT,
  DIGITS,
  mapOf,
  NUMBER,
  namedSchema,
  type RecordOf,
  referenceTo,
  TEXT,
  TEXTS,
  withDescription,
} from './schema.js';

/* An expression's result, as stored in journals and shown in results. */

const UNIT = withDescription(
  'Kind of nanosecond value: duration or time; absent for other values.',
  Type.Enum(['duration', 'time']),
);
const TERM = withDescription('A value, as text; `undefined` if there is no value.', TEXT);

export const STATUS = Type.Enum(['holds', 'fails', 'undecided']);

const PLACE = {
  probe: TEXT,
  timeline: Type.Optional(TEXT),
  seq: withDescription(
    'A string if beyond 2^53.',
    Type.Unsafe<number | string>({ type: ['integer', 'string'] }),
  ),
};

export const EVENT = namedSchema(
  'event',
  Type.Object(
    {
      ...PLACE,
      attributes: Type.Optional(
        mapOf(
          Type.Unsafe<number | bigint | string | boolean>({
            type: ['number', 'string', 'boolean'],
          }),
        ),
      ),
    },
    { description: 'An event: its position and attributes.' },
  ),
);

const MEASURE_NAME = 'measure';

/** The result of a measure, or of several measures combined with AND or OR. */
export interface MeasureRecord {
  readonly text: string;
  readonly left: string;
  readonly right: string;
  readonly unit?: 'duration' | 'time';
  readonly holds?: boolean;
  readonly margin?: number;
  readonly all?: readonly MeasureRecord[];
  readonly any?: readonly MeasureRecord[];
}

const PARTS = Type.Array(referenceTo<MeasureRecord>(MEASURE_NAME));

const MEASURE = namedSchema(
  MEASURE_NAME,
  Type.Object({
    text: TEXT,
    left: withDescription(
      "The left value; for several measures, the deciding measure's left value.",
      TERM,
    ),
    right: TERM,
    unit: Type.Optional(UNIT),
    holds: Type.Optional(BOOLEAN),
    margin: Type.Optional(NUMBER),
    all: Type.Optional(withDescription('Measures combined with AND.', PARTS)),
    any: Type.Optional(withDescription('Measures combined with OR.', PARTS)),
  }),
);

const EVIDENCE = namedSchema(
  'evidence',
  Type.Object({
    why: Type.Enum([
      'max',
      'min',
      'percentile',
      'below',
      'above',
      'largest',
      'smallest',
      'counted',
      'uncounted',
      'forbidden',
      'missing',
      'group',
      'near',
      'clocks',
      'first',
    ]),
    of: Type.Optional(TEXT),
    binding: withDescription('The event bound to each label.', mapOf(EVENT)),
    values: Type.Optional(
      Type.Array(Type.Object({ text: TEXT, value: TEXT, unit: Type.Optional(UNIT) })),
    ),
    durations: Type.Optional(TEXTS),
    near: Type.Optional(
      withDescription(
        'For `near`: the only part of the expression that the binding fails.',
        Type.Object({
          text: withDescription('A description of the shortfall.', TEXT),
          part: TEXT,
          span: withDescription(
            "Position of the part in the expression's text.",
            Type.Object({ start: COUNT, end: COUNT }),
          ),
          distance: withDescription('From 0 to 1; smaller for a nearer binding.', NUMBER),
          count: withDescription('Number of bindings that fail only this part.', DIGITS),
        }),
      ),
    ),
  }),
);

const LABEL = Type.Object({
  label: TEXT,
  absent: Type.Optional(BOOLEAN),
  matched: COUNT,
  filtered: COUNT,
  ordered: COUNT,
});

/**
 * An operand without values: an attribute that is missing or has the wrong type in every event of
 * its label.
 */
export const UNMATCHED_OPERAND = namedSchema(
  'met_nothing',
  Type.Object(
    {
      label: TEXT,
      operand: TEXT,
      events: withDescription('Number of events that match the label.', COUNT),
      kinds: withDescription(
        "Number of the label's events with the attribute, by value type; empty if no event has the attribute.",
        Type.Object({
          number: Type.Optional(COUNT),
          string: Type.Optional(COUNT),
          boolean: Type.Optional(COUNT),
          other: Type.Optional(COUNT),
        }),
      ),
      help: Type.Optional(TEXT),
    },
    {
      description:
        'An attribute that is missing or has the wrong type in every event of its label.',
    },
  ),
);

/** The BY groups furthest from satisfying the measures, worst first. */
export const WORST_GROUPS = Type.Array(
  Type.Object({
    keys: Type.Array(
      Type.Object({ key: TEXT, value: TEXT, event: Type.Optional(Type.Object(PLACE)) }),
    ),
    holds: Type.Optional(BOOLEAN),
    measures: Type.Array(MEASURE),
  }),
);

/** The event order with its notes, and the numbers of bindings and of absence checks. */
export const ORDER_AND_TOTALS = {
  order: Type.Optional(
    withDescription(
      'Event order; absent for the default order, by messages and timelines.',
      Type.Object({
        by: Type.Enum(['time']),
        skew: Type.Optional(withDescription('Maximum clock skew, in nanoseconds.', DIGITS)),
      }),
    ),
  ),
  notes: Type.Optional(
    withDescription('Notes on the effect of the event order on the result.', TEXTS),
  ),
  bindings: Type.Optional(withDescription('Number of bindings.', DIGITS)),
  tested: Type.Optional(
    withDescription(
      'Number of absence checks: one for each binding of the labels that are not absent, or for each event if all labels are absent.',
      DIGITS,
    ),
  ),
};

export const RESULT_LISTS = {
  measures: Type.Array(MEASURE),
  labels: Type.Array(LABEL),
  evidence: Type.Array(EVIDENCE),
};

/** The details of an evaluation in a journal. */
export const DETAILS = Type.Object({
  ...ORDER_AND_TOTALS,
  measures: Type.Optional(RESULT_LISTS.measures),
  groups: Type.Optional(
    Type.Object({
      all: COUNT,
      hold: Type.Optional(COUNT),
      leftOut: Type.Optional(COUNT),
      cutOff: Type.Optional(COUNT),
      worst: WORST_GROUPS,
    }),
  ),
  labels: Type.Optional(RESULT_LISTS.labels),
  evidence: Type.Optional(RESULT_LISTS.evidence),
});

export type Details = RecordOf<typeof DETAILS>;
