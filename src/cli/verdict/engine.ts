import { type Command, Option } from 'commander';
import type { Context } from '../runtime/command.js';
import { addEngineTimeout, readEngine } from '../session/engine.js';
import type { Engine, EvaluateFlags } from './recording.js';

/** The values of `--engine`, or how they begin, for completion. */
export const ENGINE_WORDS = ['embedded', 'clickhouse:'];

/** Adds the flags of `EngineFlags` to a command. */
export function addEngineFlags(command: Command): Command {
  const engine = new Option('--engine <engine>', 'what evaluates: embedded, or clickhouse:URL');
  return addEngineTimeout(command.addOption(engine.default('embedded')));
}

/**
 * Does work with the engine that a flag names.
 *
 * @throws Failure (usage) when no engine has that name, (unavailable) for what is wrong with a
 *   server
 */
export async function withEngine<T>(
  context: Context,
  flags: EvaluateFlags,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const name = readEngine(flags.engine);
  if (name.kind === 'embedded') {
    const { embedded } = await import('./embedded.js');
    return work(embedded(context, flags));
  }
  const { withServer } = await import('./server.js');
  return withServer(context, name.url, flags, work);
}
