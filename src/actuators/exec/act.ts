import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import type { LiveActuator } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { type ActuatorContext, environmentWith } from '../context.js';
import { createValueLookup, fillText } from '../template.js';
import type { ExecActuator } from './format.js';
import { type Command, inputOf, runCommand, wasTerminated } from './run-command.js';

/** Creates an actuator that runs commands. Each command is an argument vector, and runs in a separate process group. */
export function createExecActuator(actuator: ExecActuator, context: ActuatorContext): LiveActuator {
  const { timeoutMs } = actuator;
  const cwd = resolve(context.directory, actuator.cwd ?? '.');
  const ownEnv = environmentWith(actuator.env, context);

  async function run(
    action: 'inject' | 'reset',
    vector: readonly string[],
    { env, stdin }: Pick<Command, 'env' | 'stdin'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const subject = `the ${action} command ${quote(vector[0] ?? '')}`;
    const command = { subject, vector, cwd, env: { ...ownEnv, ...env }, stdin, timeoutMs };
    const failure = await runCommand(command, context, signal);
    if (failure === undefined) return;
    const lateMs = wasTerminated(failure) ? timeoutMs : undefined;
    throw new ActuatorError(failure.code, subject, failure.detail, lateMs);
  }

  return {
    async inject(mutation, signal) {
      const valueFor = createValueLookup(actuator.placeholders, mutation.params);
      const vector = actuator.inject.map((text) => fillText(text, valueFor));
      await run('inject', vector, inputOf(mutation), signal);
    },
    async reset(signal) {
      const vector = actuator.reset.map((text) => fillText(text, () => undefined));
      await run('reset', vector, { env: {}, stdin: '' }, signal);
    },
    close: async () => {},
  };
}
