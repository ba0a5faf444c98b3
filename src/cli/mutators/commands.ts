import { PerturbError, visible } from '../../basics/index.js';
import { ClientError, type MutatorClient } from '../../mutators/index.js';
import { readConfig } from '../config/config.js';
import {
  clientFor,
  findMutator,
  idText,
  listMutatorsOf,
  MUTATOR_ARGUMENT,
  noServerFailure,
  oneServerOptions,
} from '../config/server.js';
import { serverOptions } from '../config/sources.js';
import {
  CommandFailure,
  defineCommand,
  exitCodes,
  type Io,
  usageFailure,
} from '../runtime/command.js';
import { argument, option, repeatedOption } from '../runtime/declare.js';
import { printResult } from '../runtime/io.js';
import { configOption, formatOption } from '../runtime/options.js';
import { mutatorPage, mutatorTable, mutatorToJson, stopNote } from './mutator-text.js';

/* The commands that query, reset or stop mutator servers. */

export const listMutators = defineCommand({
  help: `
Exit codes: 0 done, 2 invalid usage, 4 the server is unavailable.

Examples:
  perturb mutators list --server http://127.0.0.1:8080
  perturb mutators list --server bench --format json
`,
  options: [...oneServerOptions, formatOption()],
  async run(context, _args, flags) {
    const { io } = context;
    const client = await clientFor(io, flags);
    const { mutators, heldSince } = await listMutatorsOf(io, client, { what: 'with-activity' });
    const members = { held_since: heldSince, mutators: mutators.map(mutatorToJson) };
    return printResult(context, flags, members, (look) => {
      const held = heldSince === undefined ? '' : `\n${visible(stopNote(heldSince))}\n`;
      return `${mutatorTable(mutators, look)}${held}`;
    });
  },
});

export const inspectMutator = defineCommand({
  help: `
Exit codes: 0 done, 2 invalid usage or no such mutator, 4 the server is unavailable.

Example:
  perturb mutators inspect wind --server http://127.0.0.1:8080
`,
  args: [argument('<mutator>', MUTATOR_ARGUMENT)],
  options: [...oneServerOptions, formatOption()],
  async run(context, [word], flags) {
    const { io } = context;
    const client = await clientFor(io, flags);
    const mutator = await findMutator(io, client, word, 'with-activity');
    return printResult(context, flags, { mutator: mutatorToJson(mutator) }, (look) =>
      mutatorPage(mutator, look),
    );
  },
});

export const resetMutators = defineCommand({
  help: `
Exit codes: 0 reset, or forgotten with --forget; 2 invalid usage or no such mutator;
4 a mutator could not be reset.

Examples:
  perturb mutators reset wind --server bench
  perturb mutators reset wind --forget --server bench
  perturb mutators reset --all --server http://127.0.0.1:8080
`,
  args: [argument('[mutator]', MUTATOR_ARGUMENT)],
  options: [
    option('--all', "reset all of the server's mutators"),
    option(
      '--forget',
      "drop the server's record of a mutator that cannot be reset (Perturb servers only)",
    ).conflicts('all'),
    ...oneServerOptions,
    formatOption(),
  ],
  async run(context, [word], flags) {
    const { io } = context;
    if ((word === undefined) === (flags.all === undefined)) {
      throw usageFailure('reset needs one mutator, or --all');
    }
    const client = await clientFor(io, flags);
    const done: string[] = [];
    const forgotten: { readonly id: string; readonly left: string }[] = [];
    const failed: { readonly id: string; readonly message: string }[] = [];
    if (word !== undefined) {
      const forget = flags.forget === true;
      const { id, left } = await resetOne(io, client, word, forget).catch((error: unknown) => {
        const isStuck = error instanceof ClientError && error.code === 'server-failed';
        if (forget || !isStuck) throw error;
        throw new CommandFailure(error.exitCode, error.message, FORGET_HELP);
      });
      if (left === undefined) done.push(id);
      else forgotten.push({ id, left });
    }
    for (const { id } of word === undefined ? (await listMutatorsOf(io, client)).mutators : []) {
      try {
        await client.reset(id);
        done.push(id);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        // A failure must not prevent the resets of the other mutators.
        failed.push({ id, message: error.message });
      }
    }
    for (const { message } of failed) io.stderr.write(`perturb: ${visible(message)}\n`);
    const isNone = flags.all === true && done.length === 0;
    const lines = [
      ...done.map((id) => `reset ${idText(id)}`),
      ...forgotten.map(({ id, left }) => `forgot ${idText(id)}; left behind: ${visible(left)}`),
    ];
    await printResult(context, flags, { reset: done, forgotten, failed }, () =>
      isNone ? 'no mutator was reset\n' : lines.map((line) => `${line}\n`).join(''),
    );
    return failed.length > 0 ? exitCodes.unavailable : exitCodes.ok;
  },
});

/**
 * Resets the mutator with this id or name. Resets an id at once, even if the server is busy. Lists
 * the mutators only if no mutator has the id.
 *
 * @returns the mutator's id, and a description of the residue if the mutator was forgotten
 */
async function resetOne(
  io: Io,
  client: MutatorClient,
  word: string,
  forget: boolean,
): Promise<{ readonly id: string; readonly left?: string }> {
  try {
    return { id: word, ...(await client.reset(word, { forget })) };
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'no-mutator')) throw error;
  }
  const { id } = await findMutator(io, client, word);
  return { id, ...(await client.reset(id, { forget })) };
}

/** The help if a mutator cannot be reset. */
const FORGET_HELP =
  "If the mutator's target no longer exists, --forget drops the mutator's record from a Perturb server.";

/** Number of mutators to reset in parallel on each server. */
const AT_A_TIME = 16;

export const stopMutators = defineCommand({
  help: `
Stops each server, even if stopping another server fails. A server other than
Perturb's is only reset, and still accepts mutations. A run on a stopped server
ends. A stop persists across server restarts, until --release.
Exit codes: 0 stopped, 1 a mutator could not be reset, 2 invalid usage.

Examples:
  perturb mutators stop
  perturb mutators stop --server bench --server http://127.0.0.1:8080
  perturb mutators stop --release
`,
  options: [
    repeatedOption(
      '-s, --server <server>',
      'a mutator server: its URL, or its name in perturb.toml; may be repeated',
      'all servers in perturb.toml',
    ),
    option('--release', 'accept mutations again'),
    configOption,
    ...serverOptions,
    formatOption(),
  ],
  async run(context, _args, flags) {
    const { io } = context;
    const names =
      flags.server.length > 0
        ? flags.server
        : [...(await readConfig(context, flags.config)).servers.keys()];
    if (names.length === 0) throw noServerFailure();
    const servers = await Promise.all(
      [...new Set(names)].map(async (server) => {
        try {
          const client = await clientFor(io, { ...flags, server });
          return { server, ...(await hold(client, !flags.release)) };
        } catch (error) {
          // A failure must not prevent the stops of the other servers.
          if (!(error instanceof PerturbError)) throw error;
          return { server, reset: [], failed: [{ message: error.message }] };
        }
      }),
    );
    const failures = servers.flatMap(({ server, failed }) =>
      failed.map(({ message }) => `${server}: ${message}`),
    );
    for (const failure of failures) io.stderr.write(`perturb: ${visible(failure)}\n`);
    const lines = servers.map(({ server, ...one }) => {
      return visible(`${server}: ${stoppedText(one, flags.release === true)}`);
    });
    await printResult(context, flags, { servers }, () => lines.map((line) => `${line}\n`).join(''));
    return failures.length > 0 ? exitCodes.findings : exitCodes.ok;
  },
});

interface Stopped {
  /** The ids of mutators that were reset. */
  readonly reset: readonly string[];
  readonly failed: readonly { readonly id?: string; readonly message: string }[];
  /**
   * The time at which the server was stopped, and began to refuse mutations; null if the server
   * cannot be stopped, absent if the time is unknown.
   */
  readonly held_since?: string | null | undefined;
}

function stoppedText(one: Stopped, isRelease: boolean): string {
  const { reset, failed, held_since: since } = one;
  const done = `reset ${reset.length}${failed.length > 0 ? `, failed ${failed.length}` : ''}`;
  if (since === null) return `${done}; not a Perturb server, so it still accepts mutations`;
  if (since !== undefined) return `${done}; ${stopNote(since)}`;
  if (!isRelease) return 'not stopped';
  return 'held_since' in one ? 'accepts mutations' : 'not released';
}

/**
 * Stops or releases a server. To stop, resets all mutators, after which the server refuses
 * mutations. To release, resets a single mutator.
 */
async function hold(client: MutatorClient, isStop: boolean): Promise<Stopped> {
  const { mutators, ...before } = await client.list();
  const isReleased = !isStop && before.heldSince === undefined;
  const asked = isStop ? mutators : mutators.slice(0, isReleased ? 0 : 1);
  const failures = new Map<string, string>();
  let { heldSince } = before;
  const left = asked.values();
  const resetSome = async () => {
    for (const { id } of left) {
      try {
        ({ heldSince } = await client.reset(id, { hold: isStop }));
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        failures.set(id, `${idText(id)}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, resetSome));
  // Even a failed reset stops or releases the server.
  if (failures.size > 0) ({ heldSince } = await client.list().catch(() => ({ heldSince })));
  return {
    reset: asked.flatMap(({ id }) => (failures.has(id) ? [] : [id])),
    failed: [...failures].map(([id, message]) => ({ id, message })),
    held_since: heldSince ?? (isStop && before.instance === undefined ? null : undefined),
  };
}
