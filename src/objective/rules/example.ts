/**
 * Returns an objective for a rule's example: a name, the lines, and `completion`, by default a measurement and a
 * stopping condition.
 */
export function objectiveExample(lines: string, completion = MEASUREMENT_AND_STOP): string {
  return `name = "Wind"\n\n${lines.trim()}\n${completion === '' ? '' : `\n${completion}`}`;
}

export const MEASUREMENT = `[[measurement]]
name = "Stays in the air"
check = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"
`;

export const STOP = `[stopping_conditions]
attempts = 10
`;

const MEASUREMENT_AND_STOP = `${MEASUREMENT}\n${STOP}`;

/** A short manifest for checking the catalog rules' examples. */
export const EXAMPLE_MANIFEST = `[[mutator]]
name = "wind"
probe = "GAZEBO"
tags = ["simulator"]

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]

[[mutator.param]]
name = "mode"
type = "enum"
options = ["gust", "steady"]

[mutator.actuator]
kind = "exec"
inject = ["./wind.sh", "{speed}", "{mode}"]
reset = ["./wind.sh", "clear"]

[[mutator]]
name = "link-failure"
tags = ["network"]

[[mutator.param]]
name = "flap"
type = "boolean"

[mutator.actuator]
kind = "exec"
inject = ["./link.sh", "{flap}"]
reset = ["./link.sh", "up"]
`;

/** Returns an objective with one mutator table for the example manifest. */
export function mutatorExample(lines: string): string {
  return objectiveExample(`[[mutator]]\n${lines}`);
}

/** Returns an objective with one constraint on a mutator's parameter. */
export function constraintExample(mutator: string, lines: string): string {
  return mutatorExample(`name = "${mutator}"\n\n[[mutator.param_constraints]]\n${lines}`);
}

/** Returns an objective that selects only the mutators with the given tags. */
export function tagExample(tags: string, lines = ''): string {
  return objectiveExample(`[mutation_constraints]\nmutator_tags = ${tags}\n${lines}`);
}
