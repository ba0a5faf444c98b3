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
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Block, blocksOf, type Need, rewriteBlocks } from './documents.js';

/** Where the reader of a document works, in what it shows. */
const SHOWN_DIRECTORY = '/home/lab/drone';
const SERVING = /^Ctrl-C .* ends the server\.\n/m;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** What a terminal shows for Ctrl-C, and for the key that ends a program without a word. */
const KEYS: Readonly<Record<string, NodeJS.Signals>> = { '^C': 'SIGINT', '^\\': 'SIGQUIT' };
const LOOPBACK = /127\.0\.0\.1:(\d+)/g;

interface Server {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** How much of it has been shown. */
  shown: number;
}

/**
 * Runs a document as its reader would: its blocks with a name become files of
 * one directory with nothing but the package, and the commands of its `console` and `sh`
 * blocks run there, one after the other. Gives the document with what they print.
 *
 * - `cd` holds for the commands that follow.
 * - `perturb serve mutators` goes on, as in a terminal of its own, until `^C`,
 *   `^\\` or the end of the document.
 * - A port of the loopback is another one in the run. Ids, times and the
 *   directory are made equal too, as they differ from run to run.
 */
export async function rerun(text: string, installed: string): Promise<string> {
  const session = new Session(text, installed);
  try {
    const rewritten = await rewriteBlocks(text, (block) => session.play(block));
    await session.end();
    return rewritten;
  } finally {
    session.clear();
  }
}

class Session {
  readonly #root = mkdtempSync(join(tmpdir(), 'perturb-docs-'));
  readonly #home = join(this.#root, 'work/drone');
  #directory = this.#home;
  readonly #given: ReadonlySet<string>;
  /** The ports that are shown, and those that are used. */
  readonly #ports = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  readonly #servers: Server[] = [];
  #status = 0;

  constructor(text: string, installed: string) {
    mkdirSync(this.#directory, { recursive: true });
    symlinkSync(installed, join(this.#home, 'node_modules'));
    const given = blocksOf(text).flatMap(({ language, body }) =>
      language === 'console' ? commandsOf(body) : [body],
    );
    this.#given = new Set(given.join().match(UUID));
  }

  /** Writes a file, or runs commands; gives what the block has to be. */
  async play({ language, file, needs, body }: Block): Promise<string> {
    if (file !== undefined) this.#write(join('work/drone', file), await this.#withPorts(body));
    if (language === 'sh' && (needs === undefined || needs === 'registry')) {
      await this.#follow(body, needs);
    }
    if (language !== 'console') return body;
    this.#status = 0;
    const shown: string[] = [];
    for (const command of commandsOf(body)) {
      const key = KEYS[command];
      const output = key === undefined ? await this.#run(command) : await this.#press(key);
      const text = this.#normalised(output);
      const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      shown.push(`${key === undefined ? '$ ' : ''}${command}\n${ended}`);
    }
    return shown.join('\n');
  }

  /** Runs commands whose output is not shown; they succeed, or have findings. */
  async #follow(body: string, needs: Need | undefined): Promise<void> {
    const npm = needs === 'registry' ? 'npm() { :; }\n' : '';
    const child = this.#spawn(`exec 2>&1\n${npm}${await this.#withPorts(body)}`);
    const said = listen(child);
    const [status] = await once(child, 'close');
    if (status !== 0 && status !== 1) throw new Error(`exit ${status}: ${body}${said()}`);
  }

  async end(): Promise<void> {
    while (this.#servers.length > 0) await this.#press('SIGINT');
  }

  clear(): void {
    for (const { child } of this.#servers) child.kill('SIGKILL');
    rmSync(this.#root, { recursive: true, force: true });
  }

  async #run(command: string): Promise<string> {
    const entered = /^cd (\S+)$/.exec(command)?.[1];
    if (entered !== undefined) {
      this.#directory = join(this.#directory, entered);
      return '';
    }
    const serves = /^perturb serve mutators(?!.*(?:--dry-run|--install-plugin|--help))/.test(
      command,
    );
    const actual = await this.#withPorts(command);
    if (serves) return this.#serve(command, actual);
    const script = `exec 2>&1\n(exit ${this.#status})\n${actual}`;
    const child = this.#spawn(script);
    const said = listen(child);
    const [status] = await once(child, 'close');
    this.#status = status;
    const copied = /^cp -r node_modules\/perturb\/examples\/(\S+) \.$/.exec(command)?.[1];
    if (copied !== undefined) await this.#movePorts(join(this.#directory, basename(copied)));
    return said();
  }

  async #serve(command: string, actual: string): Promise<string> {
    const port = await this.#portFor(/--port (\d+)/.exec(command)?.[1] ?? '8080');
    const child = this.#spawn(`exec ${actual} --port ${port} 2>&1`);
    const said = listen(child);
    const closed = once(child, 'close');
    while (!SERVING.test(said()) && child.exitCode === null) {
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
    const { PATH } = process.env;
    return spawn('sh', ['-c', script], {
      cwd: this.#directory,
      env: {
        PATH: `${join(this.#home, 'node_modules/.bin')}${delimiter}${PATH}`,
        HOME: this.#root,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  /** A command or a file with the ports of this run. */
  async #withPorts(text: string): Promise<string> {
    for (const [, shown = ''] of text.matchAll(LOOPBACK)) await this.#portFor(shown);
    return text.replace(LOOPBACK, (_whole, shown) => `127.0.0.1:${this.#ports.get(shown)}`);
  }

  /** An example has ports of its own, which somebody else may use at the same time. */
  async #movePorts(directory: string): Promise<void> {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isFile()) writeFileSync(path, await this.#withPorts(readFileSync(path, 'utf8')));
    }
  }

  async #portFor(shown: string): Promise<string> {
    const port = this.#ports.get(shown) ?? (await unusedPort());
    this.#ports.set(shown, port);
    return port;
  }

  #normalised(text: string): string {
    const shown = new Map([...this.#ports].map(([port, used]) => [used, port]));
    return text
      .replaceAll(this.#home, SHOWN_DIRECTORY)
      .replace(LOOPBACK, (_whole, used) => `127.0.0.1:${shown.get(used) ?? used}`)
      .replace(/\bport (\d+)/g, (_whole, used) => `port ${shown.get(used) ?? used}`)
      .replace(/\(process \d+\)/g, '(process 4711)')
      .replace(UUID, (id) => this.#idFor(id))
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '2026-03-02T09:30:00Z')
      .replace(/^\d\d:\d\d:\d\d /gm, '09:30:00 ')
      .replace(/\b\d+ ms\)/g, '12 ms)')
      .replace(/^\[\d\d:\d\d:\d\d\.\d{3}\]/gm, '[09:30:00.000]')
      .replace(/^(time {2,})(?:\d+[a-z]+ ?)+$/m, '$1' + '21s 400ms')
      .replace(/^(found by {2,})\d+ attempts/m, '$1' + '49 attempts')
      .replace(/"ms":\d+/g, '"ms":12')
      .replace(/"request":"[^"]+"/g, '"request":"q7x2ma-1"')
      .replace(/\b(\d+\.\d+\.\d+)\+[0-9a-f]{8}\b/g, '$1+b43ca88c');
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

/** The commands of a block; one goes on in the next line behind a backslash. */
function commandsOf(body: string): string[] {
  const commands = body.match(/^(?:\$ (?:.*\\\n)*.*|\^[C\\])$/gm) ?? [];
  return commands.map((command) => command.replace(/^\$ /, ''));
}

/** A port where nothing listens, and none of those that the system hands out by itself. */
async function unusedPort(): Promise<string> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, '127.0.0.1');
    const free = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return String(port);
  }
}
