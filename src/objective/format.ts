import {
  array,
  boolean,
  bounds,
  embedded,
  integer,
  string,
  table,
  tables,
  toJsonSchema,
} from '../toml/index.js';
import { DURATION_PATTERN, durationHint } from '../values/index.js';
import { COMMON_WORDS } from './metadata.js';

const count = integer({ min: 1n });
const hint = () => ({
  help: `expected a trace expression, such as "MATCH (name = 'TAKEOFF') AS takeoff"`,
});
const precondition = embedded('precondition', { hint });

/** Returns hints, by key, to write metadata as a comment above `line` instead. */
function metadataHints(line: string) {
  return Object.fromEntries(
    Object.entries(COMMON_WORDS).map(([key, word]) => [
      key,
      (written: string) => {
        const value = /^(?:"(?!"")|'(?!''))[^\r\n]*$/.test(written) ? written : '"..."';
        return `metadata is a comment directly above ${line}: # @${word} = ${value}`;
      },
    ]),
  );
}

/** The format of `[[mutator.param_constraints]]`. */
export const constraintFormat = table({
  name: {
    format: string({ nonEmpty: true }),
    required: true,
    description: 'The mutator parameter to constrain.',
    example: 'speed',
  },
  range: {
    format: bounds,
    description:
      'The lower and upper bounds of a number, or two strings to choose from, in any order. Required, but not permitted for boolean and enum parameters.',
    example: [0, 25],
    aliases: ['min', 'max', 'minimum', 'maximum', 'lower', 'upper', 'bounds', 'hard_range'],
  },
  enum_options: {
    format: array(string()),
    description: 'The allowed values of an enum parameter. Not permitted for other parameters.',
    example: ['gust', 'steady'],
    aliases: ['options', 'values', 'enum', 'choices', 'allowed'],
  },
});

const mutator = table({
  name: {
    format: string({ nonEmpty: true }),
    required: true,
    description: "The mutator's name.",
    example: 'simulation-wind',
    aliases: ['mutator'],
  },
  probe: {
    format: string({ nonEmpty: 'remove "probe" to constrain the mutator at every probe' }),
    description: 'Restricts mutations to one probe, for a mutator used at several probes.',
    example: 'GAZEBO',
  },
  mutation_precondition: {
    format: precondition,
    description:
      'A trace expression that triggers any mutation generated for this mutator. Cannot be combined with the global precondition.',
    example: "MATCH (name = 'TAKEOFF') AS takeoff",
  },
  param_constraints: {
    format: tables(constraintFormat, { orTable: true }),
    description: 'Constraints on parameter values.',
    aliases: ['param', 'params', 'parameters', 'constraints'],
  },
});

const measurementStop = table({
  passing_measurements: {
    format: count,
    description: 'Stop after this many attempts in which this measurement passed.',
  },
  failing_measurements: {
    format: count,
    description: 'Stop after this many attempts in which this measurement failed.',
  },
});

const measurement = table(
  {
    name: {
      format: string({ nonEmpty: true }),
      required: true,
      description: "The measurement's human-readable name.",
      aliases: ['title'],
      example: 'Stays in the air',
    },
    should_pass: {
      format: boolean,
      default: true,
      description: 'True if the check is expected to be true.',
      aliases: ['expect', 'expected', 'pass', 'passes'],
      opposites: ['should_fail', 'must_fail', 'expect_failure'],
    },
    check: {
      format: embedded('check', { nonEmpty: true, hint }),
      required: true,
      description: "The measurement's trace expression.",
      aliases: ['query', 'expression', 'condition', 'assert'],
      example: "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0",
    },
    stopping_conditions: {
      format: measurementStop,
      description: 'Stopping conditions of this measurement.',
    },
  },
  { hints: metadataHints('[[measurement]]') },
);

/** The format of an objective file. Matches section 2.4 of the requirements, key for key. */
export const objectiveFormat = table(
  {
    name: {
      format: string({ nonEmpty: true }),
      required: true,
      description: "The objective's human-readable name.",
      aliases: ['title'],
      example: 'Drone in wind',
    },
    mutation_constraints: {
      description: 'Constraints on all mutations.',
      aliases: ['constraints', 'mutations'],
      format: table({
        max_concurrent_mutations: {
          format: count,
          default: 1,
          description: 'Maximum number of simultaneous mutations.',
        },
        mutation_precondition: {
          format: precondition,
          description:
            'A trace expression that triggers any generated mutation. Cannot be combined with preconditions of individual mutators.',
          example: "MATCH (name = 'TAKEOFF') AS takeoff",
        },
        mutator_tags: {
          format: array(string({ nonEmpty: 'name a tag, or remove the empty string' }), {
            nonEmpty: 'list a tag, or remove "mutator_tags" to consider all mutators',
          }),
          description: 'Restricts mutations to mutators with at least one of these tags.',
          example: ['drone'],
        },
      }),
    },
    mutator: {
      format: tables(mutator),
      description: 'Constraints on individual mutators.',
    },
    measurement: {
      format: tables(measurement, { atLeast: 1 }),
      description: 'The measurements for each mutation set.',
    },
    stopping_conditions: {
      description: 'Stopping conditions. Meeting any one of the conditions is enough.',
      aliases: ['stopping', 'stop', 'stop_conditions', 'termination', 'limits'],
      format: table({
        attempts: {
          format: count,
          description: 'Stop after this many sets of simultaneous mutations.',
        },
        time: {
          format: string({ hint: durationHint, pattern: DURATION_PATTERN }),
          description:
            'Stop after this duration, written as numbers with the units d, h, min, s and ms.',
          example: '2h 30min',
          aliases: ['duration', 'timeout', 'time_limit', 'max_time', 'max_duration'],
        },
        passing_measurements: {
          format: count,
          description: 'Stop after this many attempts in which all measurements passed.',
        },
        failing_measurements: {
          format: count,
          description: 'Stop after this many attempts in which not all measurements passed.',
        },
      }),
    },
  },
  { hints: metadataHints('name') },
);

/** Returns the JSON Schema of objectives, for editors. */
export function objectiveSchema(): object {
  return toJsonSchema(objectiveFormat, 'Perturb objective');
}
