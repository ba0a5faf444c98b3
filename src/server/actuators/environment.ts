import { quote } from '../../diagnostics/index.js';
import { type EnvironmentTemplate, fillEnvironment } from '../../mutators/index.js';
import { ActuatorError } from './actuator-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that a manifest gives. Throws an ActuatorError for one of ours that is not set. */
export function fillVariables(
  variables: ReadonlyMap<string, EnvironmentTemplate>,
  environment: Environment,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, template] of variables) {
    const value = fillEnvironment(template, environment);
    if ('missing' in value) {
      const subject = `the variable ${quote(name)}`;
      throw new ActuatorError('environment-missing', subject, quote(value.missing));
    }
    filled[name] = value.text;
  }
  return filled;
}

/** An environment without the variables that hold secrets. */
export function withoutVariables(environment: Environment, secret: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.includes(name)));
}
