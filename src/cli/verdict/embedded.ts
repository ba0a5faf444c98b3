import { bindings, evaluate } from '../../evaluation/index.js';
import type { Context } from '../runtime/command.js';
import { Failure } from '../runtime/failure.js';
import { problemLines, readSource } from '../session/read-source.js';
import type { Engine, EvaluateFlags } from './recording.js';

/** The engine of this process, over sessions in files. */
export function embedded(context: Context, flags: EvaluateFlags): Engine {
  const { stderr } = context.io;
  const { budget } = flags;
  return {
    async open(path) {
      try {
        const reading = await readSource(context, path, flags);
        const lines = problemLines(path, reading);
        stderr.write(lines);
        const { session } = reading;
        if (session === undefined) return { unread: lines.trimEnd().split('\n') };
        return {
          session,
          evaluate: async (expression, evidence) =>
            evaluate(session, expression, { evidence, budget }),
          bindings: async (expression, limit) => bindings(session, expression, limit, { budget }),
        };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        stderr.write(`perturb: ${error.message}\n`);
        return { unread: [error.message] };
      }
    },
  };
}
