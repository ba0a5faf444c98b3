import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadManifest, type ManifestMutator } from '../../mutators/index.js';
import { reporters } from '../../reporters/index.js';
import type { Log, ServeOptions, ServerEnd } from '../../server/index.js';
import { decodeSource } from '../../source/index.js';
import { version } from '../../version.js';
import { contextFor } from '../config/reporter-context.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { Failure, reasonOf } from '../runtime/failure.js';
import { type Io, wantsColor } from '../runtime/io.js';
import { addServeFlags, type ServeFlags, serveOptions } from './flags.js';
import { launcherFor } from './plugin-launcher.js';

type Server = typeof import('../../server/index.js');

export function configure(command: Command): void {
  addServeFlags(command).addHelpText(
    'after',
    `
When a reflector starts it, it serves at the port that the reflector's
configuration names.
On SIGINT, SIGTERM or SIGHUP, or when that reflector closes its stdin, it resets
active mutations and ends; a second signal ends it at once.

Exit codes: 0 ended, with everything reset; 1 a mutator may be left mutated, or
the manifest has errors; 2 wrong usage; 3 a bug; 4 the port or the state
directory cannot be used.

Examples:
  perturb serve mutators
  perturb serve mutators bench/mutators.toml --host 0.0.0.0 --api-key-file keys.txt
  perturb serve mutators bench/mutators.toml --install-plugin drone
`,
  );
}

export async function run(
  { io, color }: Context,
  [argument]: readonly [string],
  given: ServeFlags,
): Promise<ExitCode> {
  const flags = { ...given, manifest: given.manifest ?? argument };
  const mutators = await readManifest(io, color, flags.manifest);
  if (mutators === undefined) return exitCodes.findings;
  const server = await import('../../server/index.js');
  const options = serveOptions(io.cwd, flags, mutators);
  try {
    if (flags.installPlugin !== undefined) {
      const path = await server.installPlugin(launcherFor(io.cwd, flags, flags.installPlugin));
      io.stdout.write(`Wrote ${path}: reflector run --mutator ${flags.installPlugin}\n`);
      return exitCodes.ok;
    }
    if (flags.dryRun) {
      io.stdout.write(await server.tryOut(options, io.env));
      return exitCodes.ok;
    }
    const log: Log = {
      format: flags.logFormat,
      level: flags.logLevel,
      color: wantsColor(io.stderr, io.env, color),
    };
    return await serve(io, server, options, log);
  } catch (error) {
    throw toFailure(server, error);
  }
}

async function serve(io: Io, server: Server, options: ServeOptions, log: Log): Promise<ExitCode> {
  // The reader of the log may end first; active mutations must be reset all the same.
  process.stderr.on('error', () => {});
  const output = server.createTextOutput(process.stderr);
  const ended = await server.serve(options, log, {
    env: io.env,
    process,
    write: (text) => output.write(text),
    exit: (early) => process.exit(codeOf(early)),
    version,
  });
  // A module of the user's may have left a timer or a socket.
  setTimeout(() => process.exit(), 1_000).unref();
  if (ended.error !== undefined) throw ended.error;
  return codeOf(ended);
}

function codeOf({ left }: ServerEnd): ExitCode {
  return left.length > 0 ? exitCodes.findings : exitCodes.ok;
}

function toFailure(server: Server, error: unknown): unknown {
  if (error instanceof server.StateError) return new Failure(exitCodes.unavailable, error.message);
  if (error instanceof server.ActuatorError) return new Failure(exitCodes.usage, error.message);
  if (!(error instanceof server.ServeError)) return error;
  const unusable = error.code === 'address-unusable';
  return new Failure(unusable ? exitCodes.unavailable : exitCodes.usage, error.message, error.help);
}

/** The mutators of a manifest; undefined when it has findings, which are reported then. */
async function readManifest(
  io: Io,
  color: boolean | undefined,
  path: string,
): Promise<readonly ManifestMutator[] | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(resolve(io.cwd, path));
  } catch (error) {
    const help = 'Name the manifest, as in perturb serve mutators bench/mutators.toml.';
    throw new Failure(exitCodes.usage, `cannot read ${path}: ${reasonOf(error)}`, help);
  }
  const { manifest, findings } = loadManifest(decodeSource(path, bytes));
  if (manifest !== undefined) return manifest.mutators;
  io.stderr.write(
    await reporters.pretty(
      { findings, fileCount: 1, rules: [], version },
      contextFor(io, io.stderr, color),
    ),
  );
  return undefined;
}
