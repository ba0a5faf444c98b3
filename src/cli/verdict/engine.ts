import { type Command, Option } from 'commander';
import { type EvaluateOptions, type Evaluation, evaluate } from '../../evaluation/index.js';
import type { Expression } from '../../expression/index.js';
import type { Session } from '../../session/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';

/** What evaluates expressions over sessions. */
export interface Engine {
  evaluate(
    session: Session,
    expression: Expression,
    options: EvaluateOptions,
  ): Evaluation | Promise<Evaluation>;
}

export interface EngineFlags {
  readonly engine: string;
}

const embedded: Engine = { evaluate };

export function addEngineOption(command: Command): Command {
  return command.addOption(
    new Option('--engine <engine>', 'what evaluates the expressions').default('embedded'),
  );
}

/**
 * The engine that a flag names. Another kind of engine is a row here.
 *
 * @throws Failure (usage) when there is none of that name
 */
export function engineOf(word: string): Engine {
  if (word === 'embedded') return embedded;
  throw new Failure(
    exitCodes.usage,
    `--engine: there is no engine "${word}"`,
    'Leave the flag out, or write --engine embedded.',
  );
}
