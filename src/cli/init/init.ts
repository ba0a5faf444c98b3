import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { createCatalog } from '../../mutators/index.js';
import type { Catalog } from '../../mutators/model/index.js';
import type { Poll } from '../../runner/index.js';
import { writeString } from '../../toml/index.js';
import { durationText } from '../../values/index.js';
import { type Config, readConfig } from '../config/config.js';
import { loadMutators } from '../config/sources.js';
import { MANIFEST } from '../files/discover.js';
import { writeNewFile } from '../files/write-file.js';
import { newMutators, shippedScript } from '../mutators/manifests.js';
import { numberedQuestion } from '../objective/new.js';
import { type ExecutedRun, exitCodeOf, measurementsOf } from '../objective/run/carry-out.js';
import { parseSeed, type RunFlags } from '../objective/run/flags.js';
import { withOwnServer } from '../objective/run/own-server.js';
import * as objectiveRun from '../objective/run/run.js';
import {
  type CommandContext,
  type CommandHandler,
  type CommandModule,
  configure,
  type ExitCode,
  exitCodes,
} from '../runtime/command.js';
import { argument, option, repeatedOption } from '../runtime/declare.js';
import { parseMilliseconds } from '../runtime/options.js';
import { dialogOn } from './dialog.js';
import { summarizeRun } from './found.js';
import type { ProbeScope } from './questions.js';
import { endpointOf, proxyAddress, proxyArguments, type Service } from './service.js';
import { describeSystem, type System } from './system.js';
import { OBJECTIVE, tryFaults } from './trial.js';

const CONFIG = 'perturb.toml';
/** The environment variable that passes the proxy's address to the command. */
const VARIABLE = 'PERTURB_PROXY';
const CLIENT = 'client.mjs';
/**
 * Maximum duration of an attempt if the command may be the polled service: enough for a hundred
 * responses and a timeout.
 */
const SERVING_TIME = '5s';
/** The probe of the client script's events. */
const CLIENT_PROBE = 'CLIENT';

export const help = `
Writes ${CONFIG}, ${MANIFEST} and ${OBJECTIVE}, and keeps existing files.
Runs the command without faults, and writes questions that this baseline
satisfies. Then injects faults until a question fails or a minute has passed,
narrows down the values that cause the failure, resets, and reports the result.
For a running service (--address), it starts a proxy, whose HOST:PORT the command
reads from $${VARIABLE}. Without a command, it sends requests to the URL itself,
both through the proxy and directly. On a terminal, it prompts for missing flags.

Exit codes: those of perturb objective run.

Examples:
  perturb init
  perturb init --key settings.json:warehouse.delay_ms=0..3000 -- node service.mjs
  perturb init --address http://127.0.0.1:8000/health
  perturb init --address 127.0.0.1:5432 --poll http://127.0.0.1:8000/ -- ./shop.sh
`;

export const args = [
  argument(
    '[command...]',
    'after --: command that runs the system once; events go to $PERTURB_SESSION',
  ),
] as const;

export const options = [
  option(
    '--key <file:key=values>',
    'the setting to change, with LOW..HIGH or A,B,...; the first value disturbs least',
  ),
  option('--address <address>', 'a running service: http://HOST:PORT/PATH, or HOST:PORT'),
  repeatedOption(
    '--events <events>',
    'additional source of events: a growing log, or otlp[:PORT]; may be repeated',
    'none',
  ),
  repeatedOption(
    '--poll <url>',
    'URL to poll during attempts, or NAME=URL to set the probe; tcp://HOST:PORT only connects; may be repeated',
    'none',
  ),
  option(
    '--question <question>',
    'a question from docs/questions.md, instead of questions derived from the baseline',
    {
      read: (text) => {
        numberedQuestion(text);
        return text;
      },
    },
  ),
  option(
    '--within <duration>',
    "maximum response time (default: three times the baseline's 99th percentile)",
    { read: boundText },
  ),
  option('--seed <number>', 'seed for choosing mutation sets', { read: parseSeed, byDefault: 1n }),
  option('-y, --yes', 'accept all defaults without asking'),
] as const;

/** Converts a duration to a single unit, as expressions require. */
function boundText(text: string): string {
  const ms = parseMilliseconds(text);
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

export const hints = {
  'commander.unknownOption':
    'Flags of the command come after --, as in -- node service.mjs --fast.',
};

export const run: CommandHandler<typeof args, typeof options> = async (context, [words], flags) => {
  const { io } = context;
  const isThere = (name: string) => existsSync(resolve(io.cwd, name));
  const has = { manifest: isThere(MANIFEST), config: isThere(CONFIG) };
  const ask = dialogOn(io, flags.yes === true);
  const system = await describeSystem(io, ask, words, flags, has);
  const { service } = system;
  if (!has.manifest) {
    const kind = service === undefined ? system.setting : await proxyArguments(service);
    const code = await follow(context, newMutators, kind);
    if (code !== exitCodes.ok) return code;
  } else keep(context, MANIFEST, (flags.key && '--key') || (flags.address && '--address'));
  const unused = flags.poll.length > 0 ? '--poll' : undefined;
  makeNew(context, CONFIG, 'wrote', configText(system), unused);
  const asked = (flags.question && '--question') || (flags.within && '--within');
  if (isThere(OBJECTIVE)) keep(context, OBJECTIVE, asked || undefined);
  const proxy = service && proxyAddress(context);
  const command = system.command ?? clientCommand(context, service as Service, proxy ?? '');
  const env = proxy === undefined ? io.env : { ...io.env, [VARIABLE]: proxy };
  const around = { ...context, io: { ...io, env } };
  const config = await readConfig(context, undefined);
  const events = system.events.flatMap((one) => ['--events', one]);
  // With a fixed seed, results are reproducible. The command for continuing omits the seed to try
  // other sets.
  const drawn = ['--seed', String(flags.seed)];
  const run = [OBJECTIVE, '--serve', MANIFEST, ...drawn, ...events, '--', ...command];
  const code = await follow(around, objectiveRun, run, (_, runFlags) =>
    withOwnServer(around, MANIFEST, async (own) => {
      const made = await tryFaults(around, {
        ...{ command, flags: { ...(runFlags as RunFlags), own } },
        catalog: await catalogOf(around, config),
        scopeOf: scopesOf(system, config.polls),
        mayFail: service !== undefined,
        question: flags.question === undefined ? undefined : numberedQuestion(flags.question),
        within: flags.within,
      });
      if (typeof made === 'number') return made;
      const serve = config.run.serve === undefined ? ['--serve', MANIFEST] : [];
      const again = [OBJECTIVE, ...serve, ...events, '--', ...command].map(inQuotes).join(' ');
      const variable = proxy && system.command ? `${VARIABLE}=${proxy} ` : '';
      io.stdout.write(
        `\n${foundText(made)}To continue: ${variable}perturb objective run ${again}\n`,
      );
      return exitCodeOf(made.state, false);
    }),
  );
  if (code === exitCodes.unavailable) {
    io.stderr.write(
      `perturb: to try again, run perturb init; it keeps existing files, so remove ${MANIFEST} to change another setting\n`,
    );
  }
  return code;
};

/** Loads the manifest's mutators, already accepted by a server. */
async function catalogOf({ io }: CommandContext, config: Config): Promise<Catalog> {
  const { catalog } = await loadMutators(io, { mutators: [MANIFEST] }, config);
  return catalog ?? createCatalog([]);
}

/**
 * Returns a function that maps a probe to its allowed questions. Excludes questions that a proxy
 * fault alone would decide.
 */
function scopesOf({ command, service }: System, polls: readonly Poll[]) {
  // Polls of the service itself bypass the proxy. All other evidence may depend on proxied traffic.
  const isBeside = ({ http, tcp }: Poll) =>
    (http === undefined ? tcp : endpointOf(new URL(http))) === service?.endpoint;
  return (probe: string): ProbeScope => {
    if (service === undefined) return 'all';
    if (command === undefined && probe === CLIENT_PROBE) return 'once';
    return polls.some((one) => one.name === probe && isBeside(one)) ? 'all' : 'answered';
  };
}

/** Formats the finding and the command that shows the attempt. */
function foundText(made: ExecutedRun): string {
  const { lines, attempt } = summarizeRun({ ...made, measurements: measurementsOf(made.state) });
  const shown = attempt && `To see why: perturb runs show ${made.directory} --attempt ${attempt}\n`;
  return `${lines.join('\n')}\n${shown ?? ''}`;
}

/** Quotes a word for a shell if necessary. */
function inQuotes(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function configText({ service, polls, mayServe }: System): string {
  const time = mayServe
    ? `# A service runs until Perturb stops it.\nattempt_time = "${SERVING_TIME}"\n`
    : '';
  const status =
    service === undefined
      ? ''
      : '# The command may fail because the proxy fails.\ncommand_status = "ignore"\n';
  const tables = polls.map(
    ({ name, http, tcp = '', everyMs }) => `
# Polled during attempts; responses are events at the probe of this name.
[polls.${/^[\w-]+$/.test(name) ? name : writeString(name)}]
${http === undefined ? `tcp = ${writeString(tcp)}` : `http = ${writeString(http)}`}
every = "${durationText(everyMs)}"
`,
  );
  return `# Settings for all Perturb commands in this directory.
[lint]
mutators = ["${MANIFEST}"]

# The manifest that a run serves if no server is named.
[run]
serve = "${MANIFEST}"
${time}${status}${tables.join('')}`;
}

function keep({ io }: CommandContext, name: string, unused?: string): void {
  io.stdout.write(`kept ${name}${unused === undefined ? '' : `, so ${unused} has no effect`}\n`);
}

/** Creates a file unless it exists. */
function makeNew(
  context: CommandContext,
  name: string,
  verb: 'wrote' | 'copied',
  content: string | Uint8Array,
  unused?: string,
): void {
  if (writeNewFile(context.io.cwd, name, content)) context.io.stdout.write(`${verb} ${name}\n`);
  else keep(context, name, unused);
}

/**
 * Returns the command that sends requests through the proxy. Copies the command's script, for the
 * user to change.
 */
function clientCommand(
  context: CommandContext,
  { url }: Service,
  proxy: string,
): readonly string[] {
  makeNew(context, CLIENT, 'copied', readFileSync(shippedScript(CLIENT)));
  return ['node', CLIENT, `http://${proxy}${url?.pathname ?? '/'}${url?.search ?? ''}`];
}

/**
 * Parses a command's words, and calls `run` with the parsed values. By default, calls the module's
 * `run`.
 */
async function follow(
  context: CommandContext,
  module: CommandModule,
  words: readonly string[],
  run = (given: readonly unknown[], flags: unknown) => module.run(context, given, flags),
): Promise<ExitCode> {
  const { stderr } = context.io;
  const command = new Command().exitOverride();
  command.configureOutput({ writeErr: (text) => stderr.write(text) });
  configure(command, module);
  const ran: { code: ExitCode } = { code: exitCodes.internal };
  command.action(async (...received: unknown[]) => {
    ran.code = await run(received.slice(0, -2), received.at(-2) as object);
  });
  await command.parseAsync(words, { from: 'user' });
  return ran.code;
}
