import type { Catalog, CatalogMutator } from '../mutators/model/index.js';
import { writeString } from '../toml/index.js';
import { mutatorTables, writeName } from './mutator-tables.js';

export interface NewObjectiveOptions extends Partial<ObjectiveMutators> {
  /** The URL or path of the JSON Schema for editors. If absent, the file has no schema line. */
  readonly schema?: string;
  /** The measurements, at least one. If absent, the file has an example. */
  readonly measurements?: readonly NewMeasurement[];
  /** The stopping conditions, as lines of TOML. If absent, the file has an example. */
  readonly stop?: string;
}

export interface NewMeasurement {
  readonly name: string;
  readonly check: string;
}

/** The mutators of a new objective. */
export interface ObjectiveMutators {
  /** All mutators of the system under test. */
  readonly catalog: Catalog;
  /** Mutators in the catalog, each of which gets a table. */
  readonly selected: readonly CatalogMutator[];
  /** The tags for `mutator_tags`. If empty, the file omits the key. */
  readonly tags: readonly string[];
}

/**
 * Returns the text of a new objective, with comments that explain the values to fill in. If mutators are given, the
 * objective has tables for the selected mutators, which allow all accepted parameter values. Checking the objective
 * against the same catalog then reports no findings.
 *
 * @param name the objective's name, not blank
 */
export function newObjective(
  name: string,
  {
    schema,
    catalog,
    selected = [],
    tags = [],
    measurements = EXAMPLE_MEASUREMENTS,
    stop = EXAMPLE_STOP,
  }: NewObjectiveOptions = {},
): string {
  return [
    ...(schema === undefined ? [] : [`#:schema ${schema}\n`]),
    `name = ${writeString(name.toWellFormed())}\n`,
    constraintsSection(tags),
    ...(catalog === undefined ? [EXAMPLE] : mutatorTables(catalog, selected)),
    `# The measurements after each set of mutations. Replace this with your own.
${measurements.map(measurementSection).join('\n')}`,
    `# The run stops as soon as one of these conditions is met.\n[stopping_conditions]\n${stop}`,
  ].join('\n');
}

function constraintsSection(tags: readonly string[]): string {
  const listed = tags.map(writeName).filter((tag) => tag !== undefined);
  const tagLines =
    listed.length === 0
      ? '# Consider only mutators with one of these tags.\n# mutator_tags = ["simulator"]\n'
      : `# Only mutators with one of these tags are considered.\nmutator_tags = [${listed.join(', ')}]\n`;
  return `[mutation_constraints]
# Maximum number of simultaneous mutations.
max_concurrent_mutations = 1
${tagLines}# Mutate only after this has become true.
# mutation_precondition = "MATCH (name = 'READY') AS ready"
`;
}

const EXAMPLE = `# The allowed values of mutations: a table for each mutator.
# [[mutator]]
# name = "simulation-wind"
# probe = "GAZEBO"
#
# [[mutator.param_constraints]]
# name = "speed"
# range = [0.0, 25.0]
#
# [[mutator.param_constraints]]
# name = "mode"
# enum_options = ["gust", "steady"]
`;

const EXAMPLE_MEASUREMENTS: readonly NewMeasurement[] = [
  { name: 'No crash', check: "MATCH (name = 'CRASH') AS crash\nAGGREGATE count() = 0" },
];

function measurementSection({ name, check }: NewMeasurement): string {
  return `[[measurement]]
name = ${writeString(name)}
# The expected result of the check.
should_pass = true
check = """
${check}
"""
`;
}

const EXAMPLE_STOP = 'attempts = 100\ntime = "8h"\n';
