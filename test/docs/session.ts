import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.js';
import { Addresses } from './addresses.js';
import {
  type Block,
  blocksOf,
  commandsOf,
  isEntered,
  isOfClone,
  rewriteBlocks,
} from './documents.js';
import { INSTALL, type Installation } from './installed.js';
import { provide } from './provided/index.js';
import type { Provided } from './provided/provided.js';
import { withSteadyBorder } from './steady-border.js';
import { stepsOf } from './steps.js';

/** Where the reader of a document works, in what it shows. */
const SHOWN_DIRECTORY = '/home/lab/drone';
const SERVES =
  /^(?:perturb serve mutators(?!.*(?:--dry-run|--install-plugin|--help))|python3 server\.py)/;
const SERVING = /^Ctrl-C .* stops the server\.\n/m;
/** The port that a proxy gets which init puts in front of a service. */
const CHOSEN_PORT = /^the server starts: node proxy\.mjs run proxy 127\.0\.0\.1:(\d+) /m;
const SHOWN_PORT = '23271';
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** What a terminal shows for Ctrl-C, and for the key that ends a program without a word. */
const KEYS: Readonly<Record<string, NodeJS.Signals>> = { '^C': 'SIGINT', '^\\': 'SIGQUIT' };

/** What a long command says of its progress: it has done so much, or is at that part. */
const PROGRESS =
  /^perturb: (?:(?:shrinking attempt |\d+: |\d+ of \d+\b|\d+ %$|baseline\b).*|.*: \d+ MB)\n/gm;
/** Commands that end with 1 where they find something. */
const LINTS = /\bperturb objective lint\b/;
/** Commands that start programs, or end by a signal: they need a process of their own. */
const NEEDS_PROCESS = /^(?:init|doctor|lsp|serve|objective run|runs replay)\b/;
/** A command of Perturb alone, perhaps with a file as its input, in which the shell replaces nothing. */
const PLAIN =
  /^perturb(?<words>(?:\s+(?:[\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))+)(?:\s+<\s+(?<input>[\w.-]+))?$/;

interface Server {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** How much of it has been shown. */
  shown: number;
}

export interface Rerun {
  /** The document with what its commands print. */
  readonly text: string;
  /** The lines of the blocks that a reader enters, and that ran. */
  readonly ran: readonly number[];
}

/**
 * Runs a document as its reader would: its blocks with a name become files of
 * one directory with nothing but the package, and the commands of its `console` and `sh`
 * blocks run there, one after the other, except for those that need a clone. The steps of a set-up
 * for CI run too, with the package as a dependency of that directory.
 *
 * - `cd` holds for the commands that follow.
 * - `perturb serve mutators` and a server in Python keep running, as in a terminal of its own, until `^C`,
 *   `^\\` or the end of the document.
 * - A port of the loopback is another one in the run. Ids, times and the
 *   directory are made equal too, as they differ from run to run.
 * - What needs neither a shell nor a process of its own runs in this one, which takes a tenth of a
 *   start: package.test.ts starts each command as installed.
 */
export async function rerun(text: string, installation: Installation): Promise<Rerun> {
  const session = new Session(text, installation);
  const ran: number[] = [];
  try {
    const rewritten = await rewriteBlocks(text, async (block) => {
      if (isOfClone(block)) return block.body;
      const body = await session.play(block);
      if (isEntered(block)) ran.push(block.line);
      return body;
    });
    await session.end();
    return { text: rewritten, ran };
  } finally {
    await session.clear();
  }
}

class Session {
  readonly #root = mkdtempSync(join(tmpdir(), 'perturb-docs-'));
  readonly #home = join(this.#root, 'work/drone');
  readonly #installation: Installation;
  #directory = this.#home;
  readonly #given: ReadonlySet<string>;
  readonly #addresses = new Addresses();
  readonly #ids = new Map<string, string>();
  readonly #servers: Server[] = [];
  readonly #provided = new Map<keyof typeof provide, Provided>();
  #status = 0;
  #isInstalled = false;

  constructor(text: string, installation: Installation) {
    this.#installation = installation;
    mkdirSync(this.#directory, { recursive: true });
    mkdirSync(join(this.#root, 'hidden'));
    symlinkSync(installation.modules, join(this.#home, 'node_modules'));
    const given = blocksOf(text).flatMap((block) =>
      block.language === 'console' ? commandsOf(block) : [block.body],
    );
    this.#given = new Set(given.join().match(UUID));
  }

  /** Writes a file, or runs commands; gives what the block has to be. */
  async play(block: Block): Promise<string> {
    const { language, file, needs, body } = block;
    if (needs !== undefined && needs !== 'clone' && needs !== 'suite') await this.#provide(needs);
    if (file !== undefined) {
      this.#write(join('work/drone', file), await this.#addresses.toUsed(body));
    }
    if (language === 'sh') {
      // `installPackage` has carried out those of INSTALL.
      for (const command of commandsOf(block).filter((one) => !INSTALL.includes(one))) {
        await this.#follow(command);
      }
    }
    const steps = stepsOf(block);
    if (steps.length > 0 && !this.#provided.has('packed')) {
      await this.#provide('packed');
      // Of a folder that is linked, `npm ci` would remove what is in it.
      rmSync(join(this.#home, 'node_modules'));
    }
    for (const command of steps) {
      // Each CI's steps begin with it, and it would install the same.
      if (command === 'npm ci' && this.#isInstalled) continue;
      await this.#follow(command);
      this.#isInstalled ||= command === 'npm ci';
    }
    if (language !== 'console') return body;
    this.#status = 0;
    const shown: string[] = [];
    for (const command of commandsOf(block)) {
      const key = KEYS[command];
      const output = key === undefined ? await this.#run(command) : await this.#press(key);
      const text = this.#normalised(output);
      const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      shown.push(`${key === undefined ? '$ ' : ''}${command}\n${ended}`);
    }
    return shown.join('\n');
  }

  async #provide(need: keyof typeof provide): Promise<void> {
    if (this.#provided.has(need)) return;
    const provided = await provide[need]({
      installation: this.#installation,
      home: this.#root,
      directory: this.#home,
      hidden: join(this.#root, 'hidden'),
    });
    this.#provided.set(need, provided);
    for (const [host, port] of Object.entries(provided.hosts ?? {})) {
      this.#addresses.place(host, port);
    }
  }

  /** Runs a command whose output is not shown; it succeeds, or has findings. */
  async #follow(command: string): Promise<void> {
    const said = await this.#run(command);
    const good = this.#status === 0 || (this.#status === 1 && LINTS.test(command));
    if (!good) throw new Error(`exit ${this.#status}: ${command}\n${said}`);
  }

  async end(): Promise<void> {
    while (this.#servers.length > 0) await this.#press('SIGINT');
  }

  async clear(): Promise<void> {
    for (const { child } of this.#servers) child.kill('SIGKILL');
    for (const { end } of this.#provided.values()) await end?.();
    rmSync(this.#root, { recursive: true, force: true });
  }

  async #run(command: string): Promise<string> {
    const entered = /^cd (\S+)$/.exec(command)?.[1];
    if (entered !== undefined) {
      this.#directory = join(this.#directory, entered);
      return '';
    }
    const actual = await this.#addresses.toUsed(command);
    if (SERVES.test(command)) return this.#serve(command, actual);
    const here = this.#plainOf(actual);
    if (here !== undefined) return this.#runHere(here);
    const script = `exec 2>&1\n(exit ${this.#status})\n${actual}`;
    const child = this.#spawn(script);
    const said = listen(child);
    const [status] = await once(child, 'close');
    this.#status = status;
    const chosen = CHOSEN_PORT.exec(said())?.[1];
    if (chosen !== undefined) this.#addresses.show(chosen, SHOWN_PORT);
    const copied = /^cp -r node_modules\/perturb\/examples\/(\S+) \.$/.exec(command)?.[1];
    if (copied !== undefined) await this.#movePorts(join(this.#directory, basename(copied)));
    return said();
  }

  /** A command that can run in this process: its words, and its input. */
  #plainOf(command: string): { words: readonly string[]; input: string | Uint8Array } | undefined {
    const { words = '', input } = PLAIN.exec(command.replaceAll('\\\n', ' '))?.groups ?? {};
    const hasHosts = [...this.#provided.values()].some(({ hosts }) => hosts !== undefined);
    if (words === '' || NEEDS_PROCESS.test(words.trim()) || hasHosts) return undefined;
    return {
      words: (words.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
        word.replace(/^(['"])(.*)\1$/s, '$2'),
      ),
      input: input === undefined ? '' : readFileSync(join(this.#directory, input)),
    };
  }

  async #runHere({ words, input }: { words: readonly string[]; input: string | Uint8Array }) {
    let said = '';
    const output = {
      write(text: string) {
        said += text;
      },
    };
    this.#status = await main(words, {
      stdin: Readable.from([Buffer.from(input)], { objectMode: false }),
      stdout: output,
      stderr: output,
      env: { PATH: process.env['PATH'], HOME: this.#root },
      cwd: this.#directory,
    });
    return said;
  }

  async #serve(command: string, actual: string): Promise<string> {
    const port = await this.#addresses.portFor(/--port (\d+)/.exec(command)?.[1] ?? '8080');
    const child = this.#spawn(`exec ${actual} --port ${port} 2>&1`);
    const said = listen(child);
    const closed = once(child, 'close');
    while (!SERVING.test(said()) && (child.exitCode ?? child.signalCode) === null) {
      await Promise.race([once(child.stdout, 'data'), closed]);
    }
    if (SERVING.test(said())) {
      this.#servers.push({ child, said, shown: said().length });
    } else {
      await closed;
      this.#status = child.exitCode ?? 0;
    }
    return said();
  }

  /** Ends the server that was started last; on Ctrl-C it has to end well. */
  async #press(signal: NodeJS.Signals): Promise<string> {
    const server = this.#servers.pop();
    if (server === undefined) throw new Error(`${signal}, and no server runs`);
    const closed = once(server.child, 'close');
    server.child.kill(signal);
    const [code] = await closed;
    if (code !== (signal === 'SIGINT' ? 0 : null)) {
      throw new Error(`the server ended with ${code}: ${server.said()}`);
    }
    return server.said().slice(server.shown);
  }

  #spawn(script: string) {
    const provided = [...this.#provided.values()];
    const bins = provided.flatMap(({ bin }) => bin ?? []);
    const path = [join(this.#home, 'node_modules/.bin'), ...bins, process.env['PATH']];
    return spawn('sh', ['-c', script], {
      cwd: this.#directory,
      env: {
        // A word about a new npm would be printed at any time.
        npm_config_update_notifier: 'false',
        ...Object.assign({}, ...provided.map(({ env }) => env)),
        PATH: path.join(delimiter),
        HOME: this.#root,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** An example has ports of its own, which somebody else may use at the same time. */
  async #movePorts(directory: string): Promise<void> {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isFile())
        writeFileSync(path, await this.#addresses.toUsed(readFileSync(path, 'utf8')));
    }
  }

  #normalised(text: string): string {
    return (
      this.#addresses
        .toShown(withSteadyBorder(text).replaceAll(this.#home, SHOWN_DIRECTORY))
        // A command that takes longer says more often how far it is.
        .replace(PROGRESS, '')
        .replace(/\(process \d+\)/g, '(process 4711)')
        .replace(UUID, (id) => this.#idFor(id))
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '2026-03-02T09:30:00Z')
        .replace(/^\d\d:\d\d:\d\d /gm, '09:30:00 ')
        .replace(/\b\d+ ms\)/g, '12 ms)')
        .replace(/^\[\d\d:\d\d:\d\d\.\d{3}\]/gm, '[09:30:00.000]')
        .replace(/^(time {2,})(?:\d+[a-z]+ ?)+$/m, '$1' + '21s 400ms')
        // The times of a diagram whose session was recorded just now; they widen its first column.
        .replace(
          /^ +A\n +0( {2}● +newer: stored #3\n) +\+\S+(?: \S+)*?( {2}● +older: stored #8)$/m,
          '             A\n          0$1      +30ms$2',
        )
        .replace(/"ms":\d+/g, '"ms":12')
        .replace(/"request":"[^"]+"/g, '"request":"q7x2ma-1"')
        .replace(/\b(\d+\.\d+\.\d+)\+[0-9a-f]{8}\b/g, '$1+b43ca88c')
    );
  }

  #idFor(id: string): string {
    if (this.#given.has(id)) return id;
    const known =
      this.#ids.get(id) ?? `019caf14-e440-7d3a-9c1e-${`${this.#ids.size + 1}`.padStart(12, '0')}`;
    this.#ids.set(id, known);
    return known;
  }

  #write(file: string, content: string): void {
    const path = join(this.#root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** What a program has printed so far. */
function listen({ stdout }: { readonly stdout: Readable }): () => string {
  let said = '';
  stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  return () => said;
}
