import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { quote } from '../diagnostics/index.js';
import { MANIFEST } from './files/discover.js';
import { newMutators } from './mutators/manifests.js';
import * as newObjective from './objective/new.js';
import * as objectiveRun from './objective/run/run.js';
import {
  type CommandContext,
  CommandFailure,
  type CommandModule,
  type Configure,
  type ExitCode,
  exitCodes,
  fileFailure,
  hasCode,
  type Run,
  usageFailure,
} from './runtime/command.js';

interface Flags {
  readonly key?: string;
  readonly question?: string;
  readonly yes?: true;
}

const CONFIG = 'perturb.toml';
const OBJECTIVE = 'first.objective.toml';
const FIRST_RUN = '.perturb/runs/first';
const QUESTION = '1';

const CONFIG_TEXT = `# What holds for all commands of Perturb in this directory.
[lint]
mutators = ["${MANIFEST}"]

# What perturb serve mutators serves.
[servers.local]
url = "http://127.0.0.1:8080"
`;

const NEXT = `
to go on: perturb serve mutators; then, in another terminal,
  perturb objective run ${OBJECTIVE} -- COMMAND
`;

export const help = `
Writes ${CONFIG}, ${MANIFEST} and ${OBJECTIVE}; what is there already
stays, and is named. Then it serves the mutators on a free port of the loopback,
runs the command once without a fault and once with one, resets, and shows the
verdict. On a terminal it asks for what the flags do not say.

Exit codes: those of perturb objective run.

Examples:
  perturb init
  perturb init --key settings.json:warehouse.delay_ms=0..3000 -- node service.mjs
`;

export const configure: Configure = (command) => {
  command
    .argument('[command...]', 'after --: what runs the system once; events go to $PERTURB_SESSION')
    .option(
      '--key <file:key=values>',
      'the setting to change, with LOW..HIGH or A,B,...; the first value disturbs least',
    )
    .option(
      '--question <number>',
      `the question of docs/questions.md to ask (default: ${QUESTION})`,
      (text) => {
        newObjective.numberedQuestion(text);
        return text;
      },
    )
    .option('-y, --yes', 'ask nothing that has a default');
};

export const hints = {
  'commander.unknownOption':
    'Flags of the command come after --, as in -- node service.mjs --fast.',
};

export const run: Run<Flags, [readonly string[]]> = async (context, [words], flags) => {
  const { cwd } = context.io;
  const isThere = (name: string) => existsSync(resolve(cwd, name));
  const asked = await ask(context, words, flags, isThere);
  if (!isThere(MANIFEST)) {
    const code = await follow(context, newMutators, ['key', ...keyWords(asked.key)]);
    if (code !== exitCodes.ok) return code;
  } else keep(context, MANIFEST, flags.key && '--key');
  writeConfig(context);
  if (!isThere(OBJECTIVE)) {
    const made = ['The first fault', '--mutators', MANIFEST, '--output', OBJECTIVE];
    const code = await follow(context, newObjective, [...made, '--question', asked.question]);
    if (code !== exitCodes.ok) return code;
  } else keep(context, OBJECTIVE, flags.question && '--question');
  const server = await startServer(context);
  let code: ExitCode;
  try {
    const limits = ['--baseline', '1', '--attempts', '1', '--seed', '1'];
    const out = isThere(FIRST_RUN) ? [] : ['--out', FIRST_RUN];
    const run = [OBJECTIVE, '--server', server.url, ...limits, ...out, '--', ...asked.command];
    code = await follow(context, objectiveRun, run);
  } finally {
    await server.end();
  }
  if (code !== exitCodes.unavailable) context.io.stdout.write(NEXT);
  return code;
};

function keep({ io }: CommandContext, name: string, unused?: string): void {
  io.stdout.write(`kept ${name}${unused === undefined ? '' : `, so ${unused} changes nothing`}\n`);
}

function writeConfig(context: CommandContext): void {
  try {
    writeFileSync(resolve(context.io.cwd, CONFIG), CONFIG_TEXT, { flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw fileFailure('write', CONFIG, error);
    keep(context, CONFIG);
    return;
  }
  context.io.stdout.write(`wrote ${CONFIG}\n`);
}

/** What the flags say, and on a terminal the answers to questions about the rest. */
async function ask(
  { io }: CommandContext,
  words: readonly string[],
  flags: Flags,
  isThere: (name: string) => boolean,
): Promise<{
  readonly command: readonly string[];
  readonly key: string;
  readonly question: string;
}> {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const answer = async (prompt: string, missing: string, otherwise?: string): Promise<string> => {
    if (!isTerminal || (flags.yes && otherwise !== undefined)) {
      if (otherwise !== undefined) return otherwise;
      throw usageFailure(missing, 'perturb help init has an example.');
    }
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const closed = once(lines, 'close').then(() => {
      throw new CommandFailure(exitCodes.unavailable, 'ended before anything was written');
    });
    const said = lines.question(`${prompt}\n> `).then((text) => text.trim());
    try {
      const text = (await Promise.race([said, closed])) || otherwise;
      if (text === undefined) throw usageFailure(missing);
      return text;
    } finally {
      closed.catch(() => undefined);
      lines.close();
    }
  };
  const command =
    words.length > 0
      ? words
      : inShell(
          await answer(
            'Which command runs the system once, as in node service.mjs?',
            'init needs the command that runs the system, after --',
          ),
        );
  const key =
    flags.key ??
    (isThere(MANIFEST)
      ? ''
      : await answer(
          'Which setting may be changed? FILE:KEY=LOW..HIGH or FILE:KEY=A,B, as in settings.json:wait_ms=0..3000',
          'init needs the setting to change, with --key',
        ));
  if (!isThere(MANIFEST)) checkKey(key, isThere);
  if (flags.question !== undefined || isThere(OBJECTIVE)) {
    return { command, key, question: flags.question ?? QUESTION };
  }
  const questions = [...newObjective.readQuestions()].map(([at, { name }]) => `${at}. ${name}\n`);
  const prompt = `${questions.join('')}Which question shall be asked? (${QUESTION})`;
  return { command, key, question: await answer(prompt, '', QUESTION) };
}

/** A line as the words of a command; a shell reads what is more than words. */
function inShell(line: string): readonly string[] {
  return /[^\w\s./:=@%+,-]/.test(line) ? ['sh', '-c', line] : line.split(/\s+/);
}

const KEY = /^(?<file>[^:]+):(?<key>[^=]+)=(?<values>.+)$/;

function checkKey(text: string, isThere: (name: string) => boolean): void {
  const file = KEY.exec(text)?.groups?.['file'];
  if (file === undefined) {
    const help = 'It takes FILE:KEY=LOW..HIGH or FILE:KEY=A,B.';
    throw usageFailure(`${quote(text)} is no setting`, help);
  }
  if (!isThere(file)) throw usageFailure(`--key names ${file}: no such file`);
}

function keyWords(text: string): readonly string[] {
  const { file = '', key = '', values = '' } = KEY.exec(text)?.groups ?? {};
  const kind = values.includes('..') ? '--range' : '--values';
  return ['--file', file, '--key', key, kind, values];
}

/** Does what another command does. */
async function follow(
  context: CommandContext,
  module: CommandModule,
  words: readonly string[],
): Promise<ExitCode> {
  const { stderr } = context.io;
  const command = new Command().exitOverride();
  command.configureOutput({ writeErr: (text) => stderr.write(text) });
  module.configure(command);
  const ran: { code: ExitCode } = { code: exitCodes.internal };
  command.action(async (...received: unknown[]) => {
    ran.code = await module.run(context, received.slice(0, -2), received.at(-2));
  });
  await command.parseAsync(words, { from: 'user' });
  return ran.code;
}

interface Served {
  readonly url: string;
  /** Has it reset everything, and waits for its end. */
  end(): Promise<void>;
}

/** Starts the server in a process of its own: where this one is killed, it resets and ends. */
async function startServer({ io }: CommandContext): Promise<Served> {
  const program = realpathSync(process.argv[1] as string);
  const child = spawn(
    process.execPath,
    [program, 'serve', 'mutators', '--port', '0', '--log-format', 'json', MANIFEST],
    {
      cwd: io.cwd,
      // What a reflector starts ends with its stdin. Ctrl-C is for the run, which resets first.
      env: { ...io.env, PLATFORM_REFLECTOR_CONFIG: join(io.cwd, CONFIG) },
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    },
  );
  child.stdin.on('error', () => undefined);
  let said = '';
  const closed = once(child, 'close');
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const failure = () => {
    const help = 'perturb serve mutators says the same.';
    return new CommandFailure(
      exitCodes.unavailable,
      `the mutators cannot be served: ${said.trim()}`,
      help,
    );
  };
  for (;;) {
    const url = /"url":"([^"]+)"/.exec(said)?.[1];
    if (url !== undefined) {
      return {
        url,
        async end() {
          child.stdin.end();
          const [code] = await closed;
          if (code !== exitCodes.ok) throw failure();
        },
      };
    }
    if (child.exitCode !== null) throw failure();
    await Promise.race([once(child.stderr, 'data'), closed]);
  }
}
