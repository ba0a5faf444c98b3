import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, realpathSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import * as Type from 'typebox';
import { PerturbError, visible } from '../../../basics/index.js';
import { parseRecord, TEXT } from '../../../records/index.js';
import { isFinal, type RunState, readJournal, stateOf } from '../../../runner/index.js';
import { readConfig } from '../../config/config.js';
import type { OwnServer } from '../../config/server.js';
import {
  type CommandContext,
  type CommandFailure,
  type ExitCode,
  exitCodes,
  type Io,
  unavailableFailure,
} from '../../runtime/command.js';
import type { RunFlags } from './flags.js';

/* The lifecycle of a server that a run starts for a manifest. */

/** The flags that decide whether a run starts its own server. */
type ServeFlags = Pick<RunFlags, 'serve' | 'server' | 'bench' | 'resume' | 'config'>;

/**
 * Returns the path of the manifest that a run serves itself, relative to the working directory. The
 * manifest comes from `--serve` or from the resumed run, or, if the flags name no servers or
 * benches, from perturb.toml.
 */
export async function manifestToServe(
  context: CommandContext,
  { serve, server, bench = [], resume, config }: ServeFlags,
): Promise<string | undefined> {
  const { cwd } = context.io;
  if (resume !== undefined) {
    const { run, end } = await stateIn(resolve(cwd, resume));
    if (run !== undefined) return end !== undefined && isFinal(end) ? undefined : run.serve;
  }
  if (serve !== undefined || server.length > 0 || bench.length > 0) return serve;
  const { run, directory } = await readConfig(context, config);
  return run.serve && relative(cwd, join(directory, run.serve));
}

/** Returns a run's state; empty for an unreadable journal, because the run reports the problem. */
async function stateIn(directory: string): Promise<Partial<RunState>> {
  try {
    return stateOf(await readJournal(directory));
  } catch (error) {
    if (error instanceof PerturbError) return {};
    throw error;
  }
}

/**
 * Serves a manifest during `work`, and always stops the server afterwards. The server is a separate
 * process on a free port, with a random API key. If this process is killed, the server resets all
 * mutators and exits.
 *
 * @param work receives undefined if there is no manifest
 * @throws CommandFailure (unavailable) if the manifest cannot be served, or if a mutator may be
 *   left mutated. If `work` throws, rethrows the error, and prints any problem with stopping the
 *   server to stderr.
 */
export async function withOwnServer(
  { io }: CommandContext,
  manifest: string | undefined,
  work: (own: OwnServer | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (manifest === undefined) return work(undefined);
  const server = await startServer(io, manifest);
  let code: ExitCode;
  try {
    code = await work(server.own);
  } catch (error) {
    await server.end().catch((failure: CommandFailure) => {
      io.stderr.write(`perturb: ${visible(failure.message)}\n${visible(failure.help ?? '')}\n`);
    });
    throw error;
  }
  await server.end();
  return code;
}

const FAILED_LINE = Type.Object({ level: Type.Literal('error'), reason: TEXT });
const STARTED_LINE = Type.Object({ event: Type.Literal('start'), url: TEXT });

async function startServer(io: Io, manifest: string) {
  const key = randomBytes(32).toString('base64url');
  const program = realpathSync(process.argv[1] as string);
  const flags = ['--port', '0', '--log-format', 'json', '--api-key-env', KEY_VARIABLE];
  const child = spawn(
    process.execPath,
    [program, 'serve', 'mutators', ...flags, '--until-stdin-ends', manifest],
    {
      cwd: io.cwd,
      env: { ...io.env, [KEY_VARIABLE]: key },
      // Only the run receives Ctrl-C, and the run first resets the mutators.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  let early = '';
  let file: string | undefined;
  const problems = new Set<string>();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (file === undefined) early += text;
    else appendFileSync(file, text);
  });
  const started = new Promise<string | undefined>((done) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const failed = parseRecord(FAILED_LINE, line);
      if ('record' in failed) problems.add(failed.record.reason);
      const begun = parseRecord(STARTED_LINE, line);
      if ('record' in begun) done(begun.record.url);
    });
    void closed.then(() => done(undefined));
  });
  const url = await started;
  if (url === undefined) {
    io.stderr.write(early);
    throw unavailableFailure(`the mutators of ${manifest} cannot be served`);
  }
  const own: OwnServer = {
    ...{ name: manifest, url, apiKey: key },
    logTo(path) {
      if (file !== undefined) return;
      file = path;
      appendFileSync(path, early);
    },
  };
  return {
    own,
    /** Makes the server reset all mutators, and waits for the server's exit. */
    async end(): Promise<void> {
      child.stdin.end();
      const [code] = await closed;
      for (const problem of problems) {
        io.stderr.write(`perturb: the server reports: ${visible(problem)}\n`);
      }
      if (code !== exitCodes.ok) {
        const help = `To reset it, run perturb serve mutators ${manifest}.`;
        throw unavailableFailure(`a mutator of ${manifest} may still be active`, help);
      }
    },
  };
}

const KEY_VARIABLE = 'PERTURB_OWN_SERVER_KEY';
