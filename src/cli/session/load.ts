import { resolve } from 'node:path';
import { quote } from '../../diagnostics/index.js';
import { plural } from '../../reporters/index.js';
import { type Configure, type Run, usageFailure } from '../runtime/command.js';
import { printResult } from '../runtime/io.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import {
  addEngineTimeout,
  type EngineFlags,
  readEngine,
  sessionId,
  withClickHouse,
} from './engine.js';
import { addSessionFlags, type SessionFlags, withSession } from './read-source.js';

interface Flags extends SessionFlags, FormatFlags, EngineFlags {}

export const completions = { engine: ['clickhouse:'] };

export const help = `
Loads a session into a ClickHouse server, to be measured there. Its id is the name
of its file with a digest of its bytes. A session that the server has is not loaded
again. The variable CLICKHOUSE_PASSWORD holds the password, if one is needed.

Exit codes: 0 loaded, now or before, 1 the session is broken, 2 wrong usage,
4 the server cannot be used.

Example:
  perturb session load flight7.session.jsonl --engine clickhouse:http://lab@db.example:8123/perturb
`;

export const configure: Configure = (command) => {
  command
    .argument('<source>', 'a session, in any format that "perturb session import" reads')
    .requiredOption('--engine <engine>', 'the server to load it into, as clickhouse:URL');
  addFormatOption(addSessionFlags(addEngineTimeout(command)));
};

export const run: Run<Flags, [string]> = async (context, [path], flags) => {
  const { io } = context;
  const url = readEngine(flags.engine);
  if (url === undefined) {
    throw usageFailure('the embedded engine reads sessions from their files');
  }
  if (path === '-') {
    throw usageFailure('a session is loaded from a file: its name is part of the id');
  }
  return withSession(context, path, flags, 'nothing was loaded: ', async (session) => {
    const id = await sessionId(resolve(io.cwd, path), flags);
    const { loaded, events } = await withClickHouse(io, url, flags.engineTimeout, async (db) => {
      const { loadSession } = await import('../../evaluation/clickhouse/index.js');
      return loadSession(db, id, session);
    });
    const said = loaded ? 'loaded' : 'already loaded:';
    printResult(
      context,
      flags,
      { session: id, loaded, events },
      () => `${said} ${quote(id)}, ${plural(events, 'event')}\n`,
    );
  });
};
