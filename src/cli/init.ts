import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { quote } from '../diagnostics/index.js';
import { MANIFEST } from './files/discover.js';
import { writeNew } from './files/write-file.js';
import { newMutators, processesOf, shippedScript } from './mutators/manifests.js';
import * as newObjective from './objective/new.js';
import * as objectiveRun from './objective/run/run.js';
import {
  type CommandContext,
  type CommandModule,
  configure,
  type ExitCode,
  exitCodes,
  type Run,
  unavailableFailure,
  usageFailure,
} from './runtime/command.js';
import { argument, type FlagsOf, option } from './runtime/declare.js';

type Flags = FlagsOf<typeof options>;

const CONFIG = 'perturb.toml';
const OBJECTIVE = 'first.objective.toml';
const FIRST_RUN = '.perturb/runs/first';
const QUESTION = '1';

const CONFIG_TEXT = `# Settings for all commands of Perturb in this directory.
[lint]
mutators = ["${MANIFEST}"]

# What a run serves itself where no server is named.
[run]
serve = "${MANIFEST}"
`;

/** Where the command finds the proxy. */
const VARIABLE = 'PERTURB_PROXY';
const CLIENT = 'client.mjs';

export const help = `
Writes ${CONFIG}, ${MANIFEST} and ${OBJECTIVE}; what is already there
stays, and is named. Then it serves the mutators on a free port of the loopback,
runs the command once without a fault and once with one, resets, and shows the
verdict. Given the address of a running service, it puts a proxy in front of it,
which the command finds in $PERTURB_PROXY as HOST:PORT; without a command, it sends
requests to a URL itself. On a terminal it asks for what the flags do not say.

Exit codes: those of perturb objective run.

Examples:
  perturb init
  perturb init --key settings.json:warehouse.delay_ms=0..3000 -- node service.mjs
  perturb init --address http://127.0.0.1:8000/health
`;

export const args = [
  argument('[command...]', 'after --: what runs the system once; events go to $PERTURB_SESSION'),
] as const;

export const options = [
  option(
    '--key <file:key=values>',
    'the setting to change, with LOW..HIGH or A,B,...; the first value disturbs least',
  ),
  option('--address <address>', 'a running service: http://HOST:PORT/PATH, or HOST:PORT'),
  option(
    '--question <question>',
    `the question of docs/questions.md to ask (default: ${QUESTION})`,
    {
      read: (text) => {
        newObjective.numberedQuestion(text);
        return text;
      },
    },
  ),
  option('-y, --yes', 'accept all defaults without asking'),
] as const;

export const hints = {
  'commander.unknownOption':
    'Flags of the command come after --, as in -- node service.mjs --fast.',
};

export const run: Run<typeof args, typeof options> = async (context, [words], flags) => {
  const { cwd } = context.io;
  const isThere = (name: string) => existsSync(resolve(cwd, name));
  const asked = await ask(context, words, flags, isThere);
  const { service } = asked;
  if (!isThere(MANIFEST)) {
    const kind = service === undefined ? asked.key : await proxyWords(service);
    const code = await follow(context, newMutators, kind);
    if (code !== exitCodes.ok) return code;
  } else keep(context, MANIFEST, (flags.key && '--key') || (flags.address && '--address'));
  makeNew(context, CONFIG, 'wrote', CONFIG_TEXT);
  if (!isThere(OBJECTIVE)) {
    const made = ['The first fault', '--mutators', MANIFEST, '--output', OBJECTIVE];
    // A service that does not speak HTTP has only TCP faults.
    const tag = service === undefined || service.url !== undefined ? [] : ['--tag', 'tcp'];
    const code = await follow(context, newObjective, [
      ...[...made, '--question', asked.question, ...tag],
    ]);
    if (code !== exitCodes.ok) return code;
  } else keep(context, OBJECTIVE, flags.question && '--question');
  const proxy = service && proxyAddress(context);
  const { io } = context;
  const around =
    proxy === undefined
      ? context
      : { ...context, io: { ...io, env: { ...io.env, [VARIABLE]: proxy } } };
  const command = asked.command ?? clientCommand(context, service as Service, proxy ?? '');
  // Of the proxy's faults, the first one with seed 1 would strike no connection.
  const seed = proxy === undefined ? '1' : '3';
  const limits = ['--baseline', '1', '--attempts', '1', '--seed', seed];
  const out = isThere(FIRST_RUN) ? [] : ['--out', FIRST_RUN];
  const run = [OBJECTIVE, '--serve', MANIFEST, ...limits, ...out, '--', ...command];
  const code = await follow(around, objectiveRun, run);
  if (code === exitCodes.unavailable) {
    context.io.stderr.write(
      `perturb: to try again, run perturb init; it keeps what is there: remove ${MANIFEST} to change another setting\n`,
    );
    return code;
  }
  const own = asked.command === undefined ? command.join(' ') : 'COMMAND';
  const variable = proxy && asked.command ? `${VARIABLE}=${proxy} ` : '';
  context.io.stdout.write(
    `\nto continue: ${variable}perturb objective run ${OBJECTIVE} -- ${own}\n`,
  );
  return code;
};

function keep({ io }: CommandContext, name: string, unused?: string): void {
  io.stdout.write(`kept ${name}${unused === undefined ? '' : `, so ${unused} changes nothing`}\n`);
}

/** Makes a file, unless it exists. */
function makeNew(
  context: CommandContext,
  name: string,
  verb: 'wrote' | 'copied',
  content: string | Uint8Array,
): void {
  if (writeNew(context.io.cwd, name, content)) context.io.stdout.write(`${verb} ${name}\n`);
  else keep(context, name);
}

/**
 * What the flags say, and on a terminal the answers to questions about the rest. The command may be absent
 * for a service that speaks HTTP: then requests are sent to it.
 */
async function ask(
  { io }: CommandContext,
  words: readonly string[],
  flags: Flags,
  isThere: (name: string) => boolean,
) {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const answer = async (prompt: string, missing: string, otherwise?: string): Promise<string> => {
    if (!isTerminal || (flags.yes && otherwise !== undefined)) {
      if (otherwise !== undefined) return otherwise;
      throw usageFailure(missing, 'perturb init --help has examples.');
    }
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const closed = once(lines, 'close').then(() => {
      throw unavailableFailure('ended before anything was written');
    });
    // Node rejects the question after Ctrl-D.
    const said = lines.question(`${prompt}\n> `).catch(() => closed);
    try {
      const text = (await Promise.race([said, closed])).trim() || otherwise;
      if (text === undefined) throw usageFailure(missing);
      return text;
    } finally {
      closed.catch(() => undefined);
      lines.close();
    }
  };
  if (flags.key !== undefined && flags.address !== undefined) {
    throw usageFailure(
      '--key and --address: init makes one fault at first, so give only one of them',
    );
  }
  const first =
    words.length > 0 || flags.address !== undefined
      ? ''
      : await answer(
          'Which command runs the system once, as in node service.mjs? Or where does it run, as in http://127.0.0.1:8000/?',
          'init needs the command that runs the system, after --, or --address',
        );
  const address = flags.address ?? (isAddress(first) ? first : undefined);
  const service = address === undefined ? undefined : await reach(address);
  let command: readonly string[] | undefined =
    words.length > 0 ? words : first === address || first === '' ? undefined : inShell(first);
  if (service !== undefined && service.url === undefined && command === undefined) {
    const asking =
      'Which command uses the service, at $PERTURB_PROXY? It writes its events to $PERTURB_SESSION';
    const missing = 'init needs the command that uses the service, after --';
    command = inShell(await answer(asking, missing));
  }
  const isAsked = !isThere(MANIFEST) && service === undefined;
  const setting = async () =>
    flags.key ??
    (await answer(
      'Which setting may be changed? FILE:KEY=LOW..HIGH or FILE:KEY=A,B, as in settings.json:wait_ms=0..3000',
      'init needs the setting to change, with --key, or --address',
    ));
  const key = isAsked ? keyWords(await setting(), isThere) : [];
  const rest = { command, key, service };
  if (flags.question !== undefined || isThere(OBJECTIVE)) {
    return { ...rest, question: flags.question ?? QUESTION };
  }
  const questions = [...newObjective.readQuestions()].map(([at, { name }]) => `${at}. ${name}\n`);
  const prompt = `${questions.join('')}Which question should be asked? (${QUESTION})`;
  return { ...rest, question: await answer(prompt, '', QUESTION) };
}

interface Service {
  /** Where it listens: HOST:PORT. */
  readonly endpoint: string;
  /** What requests are sent to, if it speaks HTTP. */
  readonly url?: URL;
}

const ENDPOINT = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i;
const isAddress = (text: string) => /^https?:\/\//.test(text) || ENDPOINT.test(text);

const REACH_MS = 5_000;

/** The service at an address. @throws Failure when it is not an address, or nothing answers there */
async function reach(address: string): Promise<Service> {
  const url = URL.canParse(address) && address.includes('://') ? new URL(address) : undefined;
  const endpoint = url === undefined ? address : `${url.hostname}:${url.port || 80}`;
  const [, six, name, port] = ENDPOINT.exec(endpoint) ?? [];
  if (port === undefined || Number(port) > 65_535 || (url && url.protocol !== 'http:')) {
    const help = 'It takes http://HOST:PORT/PATH, or HOST:PORT.';
    throw usageFailure(
      `${quote(address)} is not an address that a proxy can be put in front of`,
      help,
    );
  }
  const socket = connect({ host: six ?? name ?? '', port: Number(port), timeout: REACH_MS });
  const problem = await new Promise<string | undefined>((done) => {
    socket.once('connect', () => done(undefined));
    socket.once('timeout', () => done(`no answer within ${REACH_MS / 1000}s`));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
  });
  socket.destroy();
  if (problem !== undefined) {
    const help = 'Start the service first, or correct the address. Nothing was written.';
    throw unavailableFailure(`nothing answers at ${endpoint}: ${problem}`, help);
  }
  return { endpoint, ...(url !== undefined && { url }) };
}

async function proxyWords({ endpoint, url }: Service): Promise<readonly string[]> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const mode = url === undefined ? 'tcp' : 'http';
  return ['proxy', '--listen', `127.0.0.1:${port}`, '--upstream', endpoint, '--mode', mode];
}

/** Where clients connect to the proxy of the manifest. */
function proxyAddress({ io }: CommandContext): string {
  const text = readFileSync(resolve(io.cwd, MANIFEST), 'utf8');
  const ready = processesOf(text).find(({ ready }) => ready !== undefined)?.ready;
  if (ready !== undefined) return ready;
  const help = 'Move it away, and perturb init writes one.';
  throw usageFailure(`${MANIFEST} exists, and has no proxy`, help);
}

/** The command that sends requests through the proxy; its script is copied so that it may be changed. */
function clientCommand(
  context: CommandContext,
  { url }: Service,
  proxy: string,
): readonly string[] {
  makeNew(context, CLIENT, 'copied', readFileSync(shippedScript(CLIENT)));
  return ['node', CLIENT, `http://${proxy}${url?.pathname ?? '/'}${url?.search ?? ''}`];
}

/** A line as the words of a command; a line that is more than plain words is left to a shell. */
function inShell(line: string): readonly string[] {
  return /[^\w\s./:=@%+,-]/.test(line) ? ['sh', '-c', line] : line.split(/\s+/);
}

const KEY = /^(?<file>[^:]+):(?<key>[^=]+)=(?<values>.+(?:\.\.|,).+)$/;

/** The options of a mutator for a setting. @throws Failure (usage) for what is not a setting of a file */
function keyWords(text: string, isThere: (name: string) => boolean): readonly string[] {
  const { file, key = '', values = '' } = KEY.exec(text)?.groups ?? {};
  if (file === undefined) {
    const help = 'It takes FILE:KEY=LOW..HIGH or FILE:KEY=A,B.';
    throw usageFailure(`${quote(text)} is not a setting`, help);
  }
  if (!isThere(file)) throw usageFailure(`--key names ${file}: no such file`);
  const kind = values.includes('..') ? '--range' : '--values';
  return ['key', '--file', file, '--key', key, kind, values];
}

async function follow(
  context: CommandContext,
  module: CommandModule,
  words: readonly string[],
): Promise<ExitCode> {
  const { stderr } = context.io;
  const command = new Command().exitOverride();
  command.configureOutput({ writeErr: (text) => stderr.write(text) });
  configure(command, module);
  const ran: { code: ExitCode } = { code: exitCodes.internal };
  command.action(async (...received: unknown[]) => {
    ran.code = await module.run(context, received.slice(0, -2), received.at(-2) as object);
  });
  await command.parseAsync(words, { from: 'user' });
  return ran.code;
}
