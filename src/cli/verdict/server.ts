import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import type { Context } from '../runtime/command.js';
import { sessionId, withClickHouse } from '../session/engine.js';
import type { Engine, EvaluateFlags } from './recording.js';

/**
 * Does work with the engine of a ClickHouse server, over sessions that were loaded there: each is
 * named by its file, or as `perturb session load` says.
 *
 * @throws Failure (unavailable) for what is wrong with the server
 */
export async function withServer<T>(
  { io }: Context,
  url: string,
  flags: EvaluateFlags,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  return withClickHouse(io, url, flags.engineTimeout, async (db) => {
    const { bindingsOn, evaluateOn, isLoaded } = await import(
      '../../evaluation/clickhouse/index.js'
    );
    return work({
      async open(word) {
        const path = resolve(io.cwd, word);
        const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
        const id = isFile ? await sessionId(path, flags) : word;
        if (await isLoaded(db, id)) {
          return {
            evaluate: (expression, evidence) => evaluateOn(db, id, expression, { evidence }),
            bindings: (expression, limit) => bindingsOn(db, id, expression, limit),
          };
        }
        const message = isFile
          ? `${quote(id)} is not on the server: load it with "perturb session load"`
          : `${quote(word)} is neither a file nor a session on the server`;
        io.stderr.write(`perturb: ${message}\n`);
        return { unread: [message] };
      },
    });
  });
}
