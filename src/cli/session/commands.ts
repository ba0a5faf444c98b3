import { createWriteStream, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { plural } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import { type Session, writeNeutral } from '../../session/index.js';
import { replacementOf } from '../files/write-file.js';
import { defineCommand, fileFailure, type Io, usageFailure } from '../runtime/command.js';
import { argument, option } from '../runtime/declare.js';
import { printResult } from '../runtime/io.js';
import { configOption, formatOption } from '../runtime/options.js';
import { holdInterrupts, startByteProgress } from '../runtime/progress.js';
import { engineTimeoutOption, readEngine, sessionId, withClickHouse } from './engine.js';
import { evidenceOptions, executionOptions, IN_ANY_FORMAT, withSession } from './read-source.js';
import { readingOptions } from './reading.js';

/* The commands for whole sessions. */

export const importSession = defineCommand({
  help: `
Writes the neutral form, JSON Lines, to stdout unless --out names a file. Sources
may be compressed with gzip or zstd, whatever their names.

Exit codes: 0 done, 1 a source is broken (nothing is written), 2 invalid usage.

Examples:
  perturb session import traces.json --out checkout.session.jsonl
  perturb session import front.json stock.json gateway.log --out checkout.session.jsonl
  perturb session import app.jsonl --map 'name=$.text,probe=$.service,time=$.at'
  perturb session import app.log --pattern '^(?<time>\\S+) (?<probe>\\w+): (?<name>.*)$'
  perturb session import server.log --pattern '^(?<clock>{.*}) (?<host>\\S+): (?<event>.*)$'
`,
  args: [
    argument(
      '<source...>',
      'a session, a trace from OpenTelemetry, Jaeger, Zipkin or Chrome, CSV, MCAP, or a log; - for stdin; several sources become one session',
    ),
  ],
  options: [
    option('-o, --out <file>', 'the file to write; compressed if the name ends with .gz'),
    ...readingOptions,
    ...executionOptions,
    ...evidenceOptions,
    configOption,
  ],
  async run(context, [paths], flags) {
    const { stdout } = context.io;
    const { out = '-' } = flags;
    return withSession(context, paths, flags, 'nothing was written: ', async (read) => {
      const named = paths.filter((path) => path !== '-').map((path) => basename(path));
      const source = named.length === 0 ? {} : { source: read.source ?? named.join(', ') };
      const session = { ...read, ...source };
      if (out !== '-') await writeFile(context.io, out, session);
      else for (const piece of writeNeutral(session)) stdout.write(piece);
    });
  },
});

/** Writes a session atomically. Readers see either the whole session or the previous file. */
async function writeFile(io: Io, shown: string, session: Session): Promise<void> {
  const { target, temporary, mode } = replacementOf(io.cwd, shown);
  const interrupts = holdInterrupts(() => rmSync(temporary, { force: true }));
  const progress = startByteProgress(io, shown);
  async function* pieces() {
    let bytes = 0;
    for (const piece of writeNeutral(session)) {
      await interrupts.pass();
      yield piece;
      bytes += piece.length;
      progress.at(bytes);
    }
  }
  try {
    const text = Readable.from(pieces(), { objectMode: false });
    const packing = shown.endsWith('.gz') ? [createGzip()] : [];
    await pipeline([text, ...packing, createWriteStream(temporary, { flags: 'wx', mode })]);
    await interrupts.pass();
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileFailure('write', shown, error);
  } finally {
    progress.end();
    interrupts.release();
  }
}

export const loadIntoServer = defineCommand({
  help: `
Loads a session into a ClickHouse server, for evaluation there. The session's id
is the file's name with a digest of its bytes. A session that is already on the server is not
loaded again. CLICKHOUSE_PASSWORD holds the password, if the server needs one.

Exit codes: 0 loaded or already there, 1 the session is broken, 2 invalid usage,
4 the server is unavailable.

Example:
  perturb session load flight7.session.jsonl --engine clickhouse:http://lab@db.example:8123/perturb
`,
  args: [argument('<source>', `a session, ${IN_ANY_FORMAT}`)],
  options: [
    option('--engine <clickhouse:url>', 'the server to load the session into, as clickhouse:URL', {
      isRequired: true,
    }),
    engineTimeoutOption,
    ...evidenceOptions,
    configOption,
    formatOption(),
  ],
  async run(context, [path], flags) {
    const { io } = context;
    const url = readEngine(flags.engine);
    if (url === undefined) {
      throw usageFailure('only a clickhouse:URL engine can load sessions');
    }
    if (path === '-') {
      throw usageFailure(
        "a session must be loaded from a file, because the file's name is part of the id",
      );
    }
    return withSession(context, path, flags, 'nothing was loaded: ', async (session, readingOf) => {
      const id = await sessionId(resolve(io.cwd, path), readingOf(path));
      const { loaded, events } = await withClickHouse(io, url, flags.engineTimeout, async (db) => {
        const { loadSession } = await import('../../evaluation/clickhouse/index.js');
        return loadSession(db, id, session);
      });
      const said = loaded ? 'loaded' : 'already loaded:';
      await printResult(
        context,
        flags,
        { session: id, loaded, events },
        () => `${said} ${quote(id)}, ${plural(events, 'event')}\n`,
      );
    });
  },
});
