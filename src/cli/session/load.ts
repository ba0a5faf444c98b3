import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { quote } from '../../diagnostics/index.js';
import { jsonNumber } from '../../mutators/values/index.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import { readDuration } from '../runtime/read-duration.js';
import { addFormatOption, type FormatFlags } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { readEngine, withClickHouse } from './engine.js';
import {
  addSourceFlags,
  droppedText,
  problemLines,
  readSource,
  type SourceFlags,
} from './read-source.js';

interface Flags extends SourceFlags, FormatFlags {
  readonly engine: string;
  readonly timeout: number;
}

export function configure(command: Command): void {
  command
    .argument('<source>', 'a session, in any format that "perturb session import" reads')
    .requiredOption('--engine <engine>', 'clickhouse:URL, such as clickhouse:http://HOST:8123/DB')
    .addOption(
      new Option('--timeout <duration>', 'how long the server may take for one statement')
        .argParser(readDuration)
        .default(600_000, '10min'),
    );
  addFormatOption(addSourceFlags(command)).addHelpText(
    'after',
    `
Loads a session into a ClickHouse server, to be measured there. A session
that is already there is not loaded again: its file's digest is part of its name. The variable
CLICKHOUSE_PASSWORD holds the password, if one is needed.

Exit codes: 0 loaded, or there already; 1 something in it is broken, 2 wrong
usage, 4 the server cannot be used.

Example:
  perturb session load flight7.session.jsonl --engine clickhouse:http://lab@db.example:8123/perturb
`,
  );
}

export async function run(
  context: Context,
  [path]: readonly [string],
  flags: Flags,
): Promise<ExitCode> {
  const { io } = context;
  const engine = readEngine(flags.engine);
  if (engine.kind === 'embedded') {
    throw new Failure(exitCodes.usage, 'the embedded engine reads sessions from their files');
  }
  const reading = await readSource(context, path, flags);
  io.stderr.write(problemLines(path, reading));
  const { session, dropped } = reading;
  if (session === undefined) {
    io.stderr.write(`perturb: nothing was loaded: --tolerant leaves out ${droppedText(dropped)}\n`);
    return exitCodes.findings;
  }
  const id = await sessionId(resolve(io.cwd, path));
  const { loaded, events } = await withClickHouse(io, engine.url, flags.timeout, async (db) => {
    const { loadSession } = await import('../../evaluation/clickhouse/index.js');
    return loadSession(db, id, session);
  });
  io.stdout.write(
    flags.format === 'json'
      ? versioned({ session: id, loaded, events: jsonNumber(String(events)) })
      : `${loaded ? 'loaded' : 'already there:'} ${quote(id)}, ${events} events\n`,
  );
  return exitCodes.ok;
}

/** What a file's session is called on a server: its name, and a digest of its bytes. */
export async function sessionId(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return `${basename(path)}@${hash.digest('hex').slice(0, 16)}`;
}
