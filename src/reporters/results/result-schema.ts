import type { Fix, Severity } from '../../diagnostics/index.js';
import type { Evaluation, MeasureResult, Method, Why } from '../../evaluation/index.js';
import { OUTCOMES, type Repeated, SHRINK_ENDS } from '../../runner/index.js';

/*
 * The JSON Schema of results, draft-07: what `--format json` of the commands prints, as result-json.ts
 * and json.ts write it.
 */

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const TEXTS: Schema = { type: 'array', items: TEXT };
const NUMBER: Schema = { type: 'number' };
const COUNT: Schema = { type: 'integer', minimum: 0 };
const BOOLEAN: Schema = { type: 'boolean' };
/** A whole number of any size. */
const DIGITS: Schema = { type: 'string', pattern: '^-?[0-9]+$' };

/** An object with these members; those whose name ends in `?` may be absent. Others may be added. */
function members(properties: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(entries.map(([name, is]) => [name.replace('?', ''), is])),
  };
}

function list(items: Schema): Schema {
  return { type: 'array', items };
}

/** All the texts of a type: the compiler requires every one, and refuses any other. */
function oneOf<T extends string>(values: Readonly<Record<T, true>>): Schema {
  return { enum: Object.keys(values) };
}

function ref(name: keyof typeof DEFINITIONS): Schema {
  return { $ref: `#/definitions/${name}` };
}

function described(description: string, schema: Schema): Schema {
  return { description, ...schema };
}

const UNIT = described(
  'Whether a number of nanoseconds is a duration or a time; absent for other values.',
  oneOf<NonNullable<MeasureResult['unit']>>({ duration: true, time: true }),
);
const METADATA = described(
  'The values of each word, from comments such as `# @requirement = "REQ-7"`.',
  { type: 'object', additionalProperties: TEXTS },
);
const TERM = described('A number, another value, or `undefined`.', TEXT);
const STATUS = oneOf<Evaluation['status']>({ holds: true, fails: true, undecided: true });
const SEQ = described('A string if beyond 2^53.', { type: ['integer', 'string'] });
const PLACE = { probe: TEXT, 'timeline?': TEXT, seq: SEQ };

const WHY = oneOf<Why>({
  max: true,
  min: true,
  percentile: true,
  below: true,
  above: true,
  largest: true,
  smallest: true,
  counted: true,
  uncounted: true,
  forbidden: true,
  missing: true,
  group: true,
  first: true,
});

/** What is known of the bindings of an expression. */
const FOUND = {
  'bindings?': described('How many there are.', DIGITS),
  'tested?': described('On how many choices, or events, an absence was tested.', DIGITS),
  'groups?': members({
    all: COUNT,
    'hold?': COUNT,
    'cut_off?': COUNT,
    worst: list(
      members({
        keys: list(members({ key: TEXT, value: TEXT, 'event?': members(PLACE) })),
        'holds?': BOOLEAN,
        measures: list({ $ref: '#/definitions/measure' }),
      }),
    ),
  }),
};

const SHOWN = {
  measures: list({ $ref: '#/definitions/measure' }),
  labels: list(
    members({ label: TEXT, 'absent?': BOOLEAN, matched: COUNT, filtered: COUNT, ordered: COUNT }),
  ),
  evidence: list({ $ref: '#/definitions/evidence' }),
};

const EVALUATION = {
  status: STATUS,
  vacuous: BOOLEAN,
  ...FOUND,
  ...SHOWN,
  'margin?': NUMBER,
  method: oneOf<Method>({
    reachability: true,
    'join tree': true,
    'each event': true,
    enumeration: true,
  }),
  'undecided?': members({ clause: TEXT, reason: TEXT, help: TEXT }),
};

const MARGIN = described('How far it is from failing; negative where it failed.', NUMBER);
const MEASURED = { name: TEXT, should_pass: BOOLEAN, status: STATUS };
const UNMATCHED = list(members({ label: TEXT, 'names?': TEXTS, 'near?': TEXT }));
const RATE = { tried: COUNT, failed: COUNT, 'interval?': list(NUMBER) };
const VERSION: Schema = { const: 1 };
const RANGE: Schema = { $ref: '#/definitions/range' };
const FIX: Schema = { $ref: '#/definitions/fix' };

const ATTEMPT = {
  'bench?': described('The bench that it was made at.', TEXT),
  'shrinks?': described('The attempt whose set it makes smaller.', COUNT),
  'repeats?': described('The attempt that it repeats, and is part of.', COUNT),
  outcome: { enum: OUTCOMES },
  set: { $ref: '#/definitions/set' },
  reasons: TEXTS,
  measurements: list(
    members({
      ...MEASURED,
      'passed?': BOOLEAN,
      vacuous: BOOLEAN,
      'reason?': TEXT,
      'margin?': MARGIN,
      ...FOUND,
      ...Object.fromEntries(Object.entries(SHOWN).map(([name, is]) => [`${name}?`, is])),
    }),
  ),
  events: COUNT,
  'lost_lines?': COUNT,
  ms: NUMBER,
  'command?': members({
    'status?': { type: 'integer' },
    'signal?': TEXT,
    'timed_out?': BOOLEAN,
    'failure?': TEXT,
  }),
  'guard_ms?': described(
    'For a guarded attempt: how long after the arrival of the event the resets began.',
    NUMBER,
  ),
  'recovery?': members({ recovered: BOOLEAN, ms: NUMBER }),
};

/** What was found, for the commands that check. */
const FINDINGS = {
  summary: members({ files: COUNT, errors: COUNT, warnings: COUNT }),
  findings: list(
    members({
      ...{
        rule: TEXT,
        severity: oneOf<Severity>({ error: true, warning: true }),
        message: TEXT,
        'help?': TEXT,
      },
      ...{ file: TEXT, range: RANGE },
      'related?': list(members({ message: TEXT, file: TEXT, range: RANGE })),
      'fix?': FIX,
      'metadata?': METADATA,
    }),
  ),
};

const NODE: Schema = { $ref: '#/definitions/node' };
const NODES = list(NODE);
const SPAN = members({ start: COUNT, end: COUNT });
const TRUE: Schema = { const: true };

const DEFINITIONS = {
  node: described(
    'A node of the syntax tree of an expression; spans are offsets in UTF-16. Integers are exact, even beyond 2^53; durations are nanoseconds.',
    members({
      kind: oneOf({
        ...{ expression: true, match: true, pattern: true, when: true, chain: true, arrow: true },
        ...{ concurrent: true, distinct: true, filter: true, aggregate: true, measure: true },
        ...{ by: true, window: true, call: true, share: true, baseline: true, and: true, or: true },
        ...{ not: true, comparison: true, located: true, in: true, glob: true, exists: true },
        ...{ sum: true, product: true, abs: true, attribute: true, name: true, string: true },
        ...{ integer: true, float: true, boolean: true, duration: true },
      }),
      span: SPAN,
      ...{ 'match?': NODE, 'when?': NODE, 'filter?': NODE, 'aggregate?': NODE, 'bare?': TRUE },
      ...{ 'patterns?': NODES, 'absent?': TRUE, 'condition?': NODE, 'label?': NODE },
      ...{
        'relations?': NODES,
        'labels?': NODES,
        'arrows?': NODES,
        'next?': TRUE,
        'within?': NODE,
      },
      ...{ 'measures?': NODES, 'by?': NODE, 'keys?': NODES, 'percent?': NODE, 'time?': NODE },
      ...{ 'size?': NODE, 'left?': NODE, 'comparator?': TEXT, 'right?': NODE, 'name?': NODE },
      ...{ 'argument?': NODE, 'term?': NODE, 'operands?': NODES, 'operand?': NODE, 'event?': NODE },
      ...{ 'probe?': NODE, 'values?': NODES, 'pattern?': NODE, 'attribute?': NODE, 'first?': NODE },
      'rest?': list(members({ sign: TEXT, signSpan: SPAN, operand: NODE })),
      ...{ 'signSpan?': SPAN, 'path?': NODES, 'text?': TEXT, 'written?': TEXT },
      'value?': { type: ['number', 'string', 'boolean'] },
    }),
  ),
  event: described(
    'Where it is, and what there is to say about it.',
    members({
      ...PLACE,
      'attributes?': {
        type: 'object',
        additionalProperties: { type: ['number', 'string', 'boolean'] },
      },
    }),
  ),
  measure: members({
    text: TEXT,
    left: TERM,
    right: TERM,
    'unit?': UNIT,
    'holds?': BOOLEAN,
    'margin?': NUMBER,
  }),
  evidence: members({
    why: WHY,
    'of?': TEXT,
    binding: described('The event of each label.', {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/event' },
    }),
    'values?': list(members({ text: TEXT, value: TEXT, 'unit?': UNIT })),
    'durations?': TEXTS,
  }),
  set: described(
    'Simultaneous mutations.',
    list(
      members({
        ...{ server: TEXT, id: TEXT, name: TEXT, 'probe?': TEXT },
        params: { type: 'object' },
      }),
    ),
  ),
  fix: members({
    title: TEXT,
    kind: described(
      'Whether it leaves no doubt about what was meant, or is one of several possible meanings.',
      oneOf<Fix['kind']>({ safe: true, suggested: true }),
    ),
    edits: list(members({ range: RANGE, text: TEXT })),
    'alternatives?': described('The other meanings.', list(FIX)),
  }),
  range: members({
    start: members({ offset: COUNT, line: COUNT, column: COUNT }),
    end: members({ offset: COUNT, line: COUNT, column: COUNT }),
  }),
  findings: described(
    'perturb objective lint, expression check, mutators lint',
    members({
      version: VERSION,
      ...FINDINGS,
      'expression?': described('Of expression check: the syntax tree.', NODE),
    }),
  ),
  evaluation: described(
    'perturb expression eval',
    members({
      version: VERSION,
      ...EVALUATION,
      'listed?': list({
        type: 'object',
        additionalProperties: { $ref: '#/definitions/event' },
      }),
    }),
  ),
  measurements: described(
    'perturb objective measure; for an objective with errors, with findings and no sessions',
    members({
      version: VERSION,
      'summary?': FINDINGS.summary,
      'findings?': FINDINGS.findings,
      objective: TEXT,
      passed: BOOLEAN,
      sessions: list(
        members({
          session: TEXT,
          passed: BOOLEAN,
          'unread?': TEXTS,
          measurements: list(
            members({
              ...{ ...MEASURED, 'metadata?': METADATA, passed: BOOLEAN },
              ...{ ...EVALUATION, 'margin?': MARGIN },
            }),
          ),
        }),
      ),
      all: list(
        members({
          ...{ name: TEXT, passed: COUNT, failed: COUNT, undecided: COUNT, vacuous: BOOLEAN },
          'unmatched?': UNMATCHED,
        }),
      ),
    }),
  ),
  run: described(
    'perturb objective run, runs show, runs replay',
    members({
      version: VERSION,
      run: TEXT,
      objective: members({ name: TEXT, digest: TEXT }),
      measurements: list(members({ name: TEXT, 'metadata?': METADATA })),
      'only?': described('What --only selected the measurements by.', TEXTS),
      seed: DIGITS,
      strategy: TEXT,
      directory: TEXT,
      elapsed_ms: NUMBER,
      'end?': members({ reason: TEXT, 'detail?': TEXT }),
      summary: members({
        attempts: COUNT,
        ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, COUNT])),
      }),
      shrinking: members({ attempts: COUNT, failed: COUNT }),
      vacuous: list(members({ measurement: TEXT, labels: UNMATCHED })),
      closest: described(
        'Where each measurement that never failed came closest to failing.',
        list(members({ measurement: TEXT, attempt: COUNT, margin: NUMBER })),
      ),
      'benches?': described(
        'How often the attempts of each bench failed, and whether it fails where others pass (Fisher).',
        list(
          members({
            ...{ bench: TEXT, 'servers?': list(TEXT), ...RATE, others: members(RATE) },
            ...{ p: NUMBER, stands_out: BOOLEAN },
          }),
        ),
      ),
      baselines: list(members({ baseline: COUNT, ...ATTEMPT })),
      attempts: list(members({ attempt: COUNT, ...ATTEMPT })),
      repeated: described(
        'How often the repeated sets failed when repeated, and the 95 % interval of the rate.',
        list(
          members({
            attempt: COUNT,
            ...RATE,
            verdict: oneOf<Repeated['verdict']>({ often: true, seldom: true, undecided: true }),
          }),
        ),
      ),
      repeats: list(members({ attempt: COUNT, ...ATTEMPT })),
      shrunk: list(
        members({
          attempt: COUNT,
          'measurement?': TEXT,
          set: { $ref: '#/definitions/set' },
          ...RATE,
          before: members(RATE),
          attempts: COUNT,
          ended: { enum: SHRINK_ENDS },
          smallest: BOOLEAN,
        }),
      ),
      in_force: list(members({ server: TEXT, id: TEXT, name: TEXT, 'bench?': TEXT })),
    }),
  ),
  attempt: described(
    'perturb runs show --attempt',
    members({
      ...{ version: VERSION, attempt: COUNT, ...ATTEMPT },
      ...{ session: TEXT, 'output?': TEXT, repeat: TEXT },
    }),
  ),
} satisfies Record<string, Schema>;

/**
 * The JSON Schema of what commands print with `--format json`: any of them, and each as a definition.
 * Members may be added to a result within a version; a reader ignores what it does not know.
 */
export function resultSchema(title: string): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    anyOf: (['findings', 'evaluation', 'measurements', 'run', 'attempt'] as const).map(ref),
    definitions: DEFINITIONS,
  };
}
