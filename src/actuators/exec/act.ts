import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { codeOf } from '../../durable/index.js';
import { format } from '../../values/index.js';
import { type LiveActuator, type ParameterValues, writeMutation } from '../actuator.js';
import { ActuatorError } from '../actuator-error.js';
import { type ActuatorContext, environmentWith } from '../context.js';
import { fillText, placeholderValues } from '../template.js';
import { type ExecActuator, variableOf } from './format.js';
import { failureOf } from './process-exit.js';

/** A command to run. */
interface Command {
  readonly what: 'inject' | 'reset';
  readonly vector: readonly string[];
  /** Variables in addition to those of the manifest. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** Runs commands: an argument vector each, in a process group of its own. */
export function createExec(actuator: ExecActuator, context: ActuatorContext): LiveActuator {
  const { timeoutMs } = actuator;
  const cwd = resolve(context.directory, actuator.cwd ?? '.');
  const own = environmentWith(actuator.env, context);

  async function run(
    { what, vector, env, stdin }: Command,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const subject = `the ${what} command ${quote(vector[0] ?? '')}`;
    for (const text of [...vector, ...Object.values(env)]) {
      // The system would get another character in its place.
      if (!text.isWellFormed()) throw new ActuatorError('bad-value', subject, HALF_PAIR);
    }
    await context.gates.commands.run(async () => {
      if (signal?.aborted) throw new ActuatorError('aborted', subject);
      const note = context.running.begin();
      try {
        const child = start(subject, vector, cwd, { ...own, ...env, ...note.env });
        // A command that ends before it has read its input closes the pipe.
        child.stdin?.on('error', () => {}).end(stdin);
        const failure = await failureOf(child, timeoutMs, signal);
        if (failure === undefined) return;
        const { code, detail } = failure;
        const isCutShort = code === 'timed-out' || code === 'aborted' || code === 'killed';
        // One that left the process group has not ended with it.
        if (isCutShort) await note.killAll(child.pid);
        // The system reports a missing command and a missing directory in the same way.
        const isLost = code === 'not-started' && !existsSync(cwd);
        const shown = isLost ? `there is no directory ${quote(cwd)}` : detail;
        throw new ActuatorError(code, subject, shown, isCutShort ? timeoutMs : undefined);
      } finally {
        note.end();
      }
    }, signal);
  }

  return {
    async inject(mutation, signal) {
      const { id, params } = mutation;
      const given = placeholderValues(actuator.placeholders, params);
      const vector = actuator.inject.map((text) => fillText(text, given));
      const env = { PERTURB_MUTATION_ID: id, ...variablesOf(params) };
      const stdin = `${writeMutation(mutation)}\n`;
      await run({ what: 'inject', vector, env, stdin }, signal);
    },
    async reset(signal) {
      const vector = actuator.reset.map((text) => fillText(text, () => undefined));
      await run({ what: 'reset', vector, env: {}, stdin: '' }, signal);
    },
    close: async () => {},
  };
}

const HALF_PAIR = 'a value holds half a surrogate pair';

function variablesOf(values: ParameterValues): Record<string, string> {
  return Object.fromEntries([...values].map(([key, value]) => [variableOf(key), format(value)]));
}

function start(
  subject: string,
  [command = '', ...args]: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess {
  try {
    return spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  } catch (error) {
    const detail =
      codeOf(error) === 'ERR_INVALID_ARG_VALUE'
        ? 'a value holds a NUL character'
        : (error as Error).message;
    throw new ActuatorError('not-started', subject, detail);
  }
}
