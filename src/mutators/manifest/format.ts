import { ACTUATOR_KINDS, actuatorKindOf, verificationFormat } from '../../actuators/index.js';
import {
  anyScalar,
  array,
  bounds,
  type Entries,
  enumOf,
  type Format,
  map,
  scalarOrTable,
  string,
  type TableFormat,
  table,
  tables,
  toJsonSchema,
} from '../../toml/index.js';
import { durationHint } from '../../values/index.js';
import { LAYERS, OPERATIONS, STATEFULNESS } from '../model/mutator.js';
import { DISTRIBUTION_KINDS, DISTRIBUTION_SCALINGS } from '../model/parameter.js';

/** The types of parameters in manifests. */
const PARAMETER_TYPES = ['integer', 'float', 'boolean', 'string', 'enum'] as const;

/** Other languages' words for parameter types. */
const PARAMETER_WORDS = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer' },
  ...{ number: 'float', double: 'float', real: 'float', float64: 'float' },
  ...{ bool: 'boolean', str: 'string', text: 'string', choice: 'enum' },
} as const;

const name = string({ nonEmpty: true });

/** The format of `[[mutator.param]]`. */
export const paramFormat = table({
  name: {
    format: name,
    required: true,
    description: "The parameter's name in objectives and placeholders.",
    example: 'speed',
  },
  type: {
    format: enumOf(PARAMETER_TYPES, PARAMETER_WORDS),
    required: true,
    description: "The type of the parameter's values. For `enum`, a value is one of `options`.",
    example: 'float',
  },
  hard_range: {
    format: bounds,
    description:
      'The lowest and highest permitted values: two numbers, or two strings for a string parameter. `-inf` and `inf` leave a side open, even for an integer.',
    example: [0, 40],
    aliases: ['range', 'min', 'max', 'minimum', 'maximum', 'bounds', 'limits'],
  },
  usual_range: {
    format: bounds,
    description:
      'The lowest and highest usual numbers (default: the hard range). A run tries this range if the objective specifies no range.',
    example: [1, 20],
  },
  options: {
    format: array(name),
    description: 'The values of an enum. Required for enums, and not permitted for other types.',
    example: ['gust', 'steady'],
    aliases: ['values', 'choices', 'enum', 'enum_options', 'allowed'],
  },
  default: {
    format: anyScalar,
    description:
      'The value for mutations that omit the parameter. Without a default, the parameter is required.',
  },
  least_effect: {
    format: anyScalar,
    description: 'The value with the least effect on the system.',
  },
  units: { format: string(), description: 'The units of the values.', example: 'm/s' },
  description: { format: string(), description: 'A human-readable description of the parameter.' },
  distribution: {
    format: enumOf(DISTRIBUTION_KINDS),
    description: 'The kind of values: continuous or discrete.',
  },
  scaling: {
    format: enumOf(DISTRIBUTION_SCALINGS),
    description: 'The distribution of the values within their range.',
  },
});

/** The keys of `[[mutator]]` whose values are not tables. */
const details = {
  id: {
    format: name,
    description:
      "The mutator's id, for the server and its clients (default: the name in lower case, with `-` for anything but letters and digits).",
    example: 'wind',
  },
  name: {
    format: name,
    required: true,
    description: "The mutator's name in objectives.",
    example: 'simulation-wind',
  },
  description: { format: string(), description: 'A human-readable description of the mutator.' },
  layer: {
    format: enumOf(LAYERS),
    description: 'The system layer on which the mutator acts.',
  },
  group: { format: string(), description: "The mutator's group, for display." },
  operation: { format: enumOf(OPERATIONS), description: "The mutator's operation on the layer." },
  statefulness: {
    format: enumOf(STATEFULNESS),
    description: "The mutation's persistence if it is not reset.",
  },
  safety: { format: string(), description: 'Safety precautions for users of the mutator.' },
  probe: {
    format: name,
    description: 'The location where the mutator acts. Distinguishes mutators with the same name.',
    example: 'GAZEBO',
  },
  tags: {
    format: array(name),
    description: 'Tags by which objectives select the mutator.',
    example: ['drone', 'simulator'],
  },
  max_active: {
    format: string({ hint: durationHint }),
    description:
      'Maximum duration of a mutation, after which the server resets it (default: unlimited).',
    example: '10min',
  },
} satisfies Entries;

/** Reserved attributes with the prefix `mutator.`, and their manifest equivalents. */
const RESERVED_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(details).map((key) => [key, 'the attribute belongs in [[mutator]]']),
  ),
  param: 'a parameter belongs in [[mutator.param]]',
  params: 'a parameter belongs in [[mutator.param]]',
  perturb: "only Perturb's own server writes this attribute; max_active belongs in [[mutator]]",
  source: 'the key is reserved for mutators in code; use a custom key, such as acme.source',
};

/** Returns the format of `[[mutator]]`, given the actuator's format. */
function mutatorFormat<Keys extends Entries>(actuator: TableFormat<Keys>) {
  return table({
    ...details,
    attributes: {
      format: map(scalarOrTable, { reserved: RESERVED_ATTRIBUTES }),
      description:
        'Custom attributes, below `mutator.` in the listing: `acme.owner = "x"` is `mutator.acme.owner`. A value of a named type is a table such as `{ Nanoseconds = 5 }`.',
    },
    param: {
      format: tables(paramFormat),
      description: "The mutator's parameters.",
    },
    actuator: {
      format: actuator,
      required: true,
      description: "The mutator's action on the system.",
    },
    verify: {
      format: verificationFormat,
      description:
        "Checks of the mutation's effect on the system, retried within the actuator's timeout.",
    },
  });
}

/** The format of `[[process]]`. */
export const processFormat = table({
  name: {
    format: name,
    required: true,
    description: "The process's name in the server's log.",
    example: 'proxy',
  },
  command: {
    format: array(string(), { nonEmpty: 'name a program' }),
    required: true,
    description: "The command, started in the manifest's directory, without a shell.",
    example: ['node', 'proxy.mjs'],
  },
  ready: {
    format: string({ nonEmpty: true }),
    description: 'The address on which the process listens once it is ready, as HOST:PORT.',
    example: '127.0.0.1:7001',
  },
});

/** Returns a manifest's format, given the format of all actuators in the manifest. */
export function createManifestFormat<Keys extends Entries>(actuator: TableFormat<Keys>) {
  return table({
    mutator: {
      format: tables(mutatorFormat(actuator), { atLeast: 1 }),
      required: true,
      description: 'A mutator to serve.',
    },
    process: {
      format: tables(processFormat),
      description:
        'A process that the mutators need. The server starts it first and stops it last.',
    },
  });
}

/** Actuator summaries, by kind. */
export const ACTUATOR_SUMMARIES: ReadonlyMap<string, string | undefined> = new Map(
  ACTUATOR_KINDS.map((kind) => [kind, actuatorKindOf({ kind }).format.keys['kind']?.description]),
);

const kindEntry = {
  format: enumOf(ACTUATOR_KINDS),
  required: true,
  description: ACTUATOR_KINDS.map((kind) => `\`${kind}\`: ${ACTUATOR_SUMMARIES.get(kind)}`).join(
    ' ',
  ),
} as const;

/**
 * Returns a manifest's format for completion in an editor, given an actuator's kind. For an unknown kind, actuators may
 * have the keys of every kind.
 */
export function manifestFormatFor(kind: string | undefined): Format {
  const matches = ACTUATOR_KINDS.filter((candidate) => candidate === kind);
  const kinds = matches.length === 0 ? ACTUATOR_KINDS : matches;
  const keys = kinds.map((name): Entries => actuatorKindOf({ kind: name }).format.keys);
  return createManifestFormat(
    table({ ...(Object.assign({}, ...keys) as Entries), kind: kindEntry }),
  );
}

interface MutatorsSchema {
  readonly properties: {
    readonly mutator: {
      readonly items: { readonly properties: { actuator: { readonly description: string } } };
    };
  };
}

/** Returns the JSON Schema of manifests, for editors. Extends a single actuator kind's schema to all kinds. */
export function createManifestSchema(): object {
  const format = createManifestFormat(actuatorKindOf({ kind: 'exec' }).format);
  const schema = toJsonSchema(format, 'Perturb mutator manifest');
  const { properties } = (schema as MutatorsSchema).properties.mutator.items;
  const { description } = properties.actuator;
  const oneOf = ACTUATOR_KINDS.map((kind) => {
    const variant = toJsonSchema(actuatorKindOf({ kind }).format, kind);
    return { ...variant, $schema: undefined };
  });
  properties.actuator = { description, oneOf } as { description: string };
  return schema;
}
