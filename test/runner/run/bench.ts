import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { ownPort } from '../../adversary/harness/systems.js';
import { directoryWith, type Outcome, perturb } from '../../cli/program.js';

const PROGRAM = resolve('dist/bin.cjs');

/** Two mutators: a level from 0 to 100, and one of three modes. */
export const LISTING = JSON.stringify([
  {
    mutator_correlation_id: 'level',
    attributes: {
      'mutator.name': 'level',
      'mutator.perturb.max_active': { Timestamp: 600_000_000_000 },
      'mutator.params.value.name': 'value',
      'mutator.params.value.value_type': 'Integer',
      'mutator.params.value.value_min': 0,
      'mutator.params.value.value_max': 100,
      'mutator.params.value.least_effect_value': 0,
    },
  },
  {
    mutator_correlation_id: 'mode',
    attributes: {
      'mutator.name': 'mode',
      'mutator.perturb.max_active': { Timestamp: 600_000_000_000 },
      'mutator.params.to.name': 'to',
      'mutator.params.to.value_type': 'String',
      'mutator.params.to.value_distribution.option_set.a': 'a',
      'mutator.params.to.value_distribution.option_set.b': 'b',
      'mutator.params.to.value_distribution.option_set.c': 'c',
    },
  },
]);

/** Fails while the level is 70 or more and the mode is not c. */
export const OBJECTIVE = `name = "level"
[mutation_constraints]
max_concurrent_mutations = 2
[[measurement]]
name = "low"
check = "MATCH (name = 'level' AND probe = 'SYSTEM') AS level AGGREGATE max(level.value) < 70"
[stopping_conditions]
attempts = 12
`;

/** Writes the level in force as an event, and a second one a little later; starts little, for it runs often. */
const SYSTEM = `#!/bin/sh
value=0 mode=a
[ ! -f level ] || read -r value < level
[ ! -f mode ] || read -r mode < mode
[ "$mode" = c ] && value=0
printf '{"probe":"SYSTEM","name":"level","seq":0,"attributes":{"value":%s}}\\n' "$value" >> "$PERTURB_SESSION"
sleep 0.05
printf '{"probe":"SYSTEM","name":"end","seq":1}\\n' >> "$PERTURB_SESSION"
`;

type Answer = number | 'hang' | 'drop';

export interface Bench {
  readonly directory: string;
  readonly url: string;
  /** What is in force, by mutator. */
  readonly active: ReadonlyMap<string, string>;
  /** Each change asked for, as in `POST level`. */
  readonly changes: readonly string[];
  /** The value of each injection asked for. */
  readonly asked: readonly string[];
  /** What the server answers to a change; undefined to do it. */
  answer: (change: string, count: number) => Answer | undefined | Promise<Answer | undefined>;
  /** What it answers to a question for its mutators. */
  listing: string;
  /** More of the environment of what `start` starts. */
  env: Readonly<Record<string, string>>;
  /** So long it waits before it does what it was asked for. */
  delayMs: number;
  run(...args: readonly string[]): Promise<Outcome>;
  start(...args: readonly string[]): Started;
  /** The records of the journal of a run. */
  journal(out?: string): readonly Record<string, unknown>[];
  /** Takes the server away, and brings it back at its port. */
  stop(): Promise<void>;
  resume(): Promise<void>;
  /** Brings it back when so many connections were dropped at its port. */
  resumeAfter(connections: number): Promise<void>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

/** A mutator server in this process, and a system that a command runs. */
export async function openBench(files: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const directory = directoryWith({
    'level.objective.toml': OBJECTIVE,
    'system.sh': SYSTEM,
    ...files,
  });
  const active = new Map<string, string>();
  const changes: string[] = [];
  const asked: string[] = [];
  let server: Server;
  const port = await ownPort();
  const listen = async () => {
    server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      if (request.method === 'GET') return void response.end(bench.listing);
      const id = /^\/mutator\/(\w+)\/mutation$/.exec(request.url ?? '')?.[1] ?? '';
      const change = `${request.method} ${id}`;
      changes.push(change);
      const { params = {} } = body === '' ? {} : JSON.parse(body);
      if (request.method === 'POST') asked.push(String(params.value ?? params.to));
      const answer = await bench.answer(change, changes.filter((one) => one === change).length);
      if (answer === 'drop') return void request.socket.destroy();
      if (answer === 'hang') return;
      if (answer !== undefined) return void response.writeHead(answer).end();
      if (bench.delayMs > 0) await pause(bench.delayMs);
      if (request.method === 'POST') {
        active.set(id, body);
        writeFileSync(join(directory, id), asked.at(-1) as string);
      } else {
        active.delete(id);
        rmSync(join(directory, id), { force: true });
      }
      response.writeHead(request.method === 'POST' ? 201 : 200).end();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const resumeAfter = async (connections: number) => {
    const dropping = createTcpServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
    for (let left = connections; left > 0; left -= 1) await once(dropping, 'connection');
    dropping.close();
    await once(dropping, 'close');
    await listen();
  };
  await listen();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${port}`;
  const bench: Bench = {
    directory,
    url,
    active,
    changes,
    asked,
    answer: () => undefined,
    listing: LISTING,
    env: {},
    delayMs: 0,
    run: (...args) => perturb(['objective', 'run', ...seeded(args)], { cwd: directory }),
    start(...args) {
      const child = spawn(process.execPath, [PROGRAM, 'objective', 'run', ...seeded(args)], {
        cwd: directory,
        env: { PATH: process.env['PATH'], ...bench.env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const ended = once(child, 'close').then(([code]) => code as number | null);
      return { child, stderr: () => said, ended };
    },
    journal(out = 'out') {
      const path = join(directory, out, 'journal');
      if (!existsSync(path)) return [];
      const text = readFileSync(path, 'utf8');
      // Behind its checksum each; the last line may be half written.
      const lines = text.split('\n').map((line) => line.slice(9));
      return lines.filter((line) => /^\{"step":.*\}$/.test(line)).map((line) => JSON.parse(line));
    },
    stop,
    resume: listen,
    resumeAfter,
  };
  return bench;
}

/**
 * Gives a new run a seed, unless the test has one: no outcome hangs on what is drawn. And no baseline,
 * unless the test asks for one: most are about attempts.
 */
function seeded(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args;
  if (first === '--resume') return args;
  const seed = rest.includes('--seed') ? [] : ['--seed', '3'];
  const baseline = rest.includes('--baseline') ? [] : ['--baseline', '0'];
  return [first, ...seed, ...baseline, ...rest];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The processes that have this in their environment. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
      return environment.includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** What a run said beside its progress, which is a line now and then, and that the bench is not a Perturb server. */
export function withoutProgress(stderr: string): string {
  return stderr
    .replace(/^perturb: (?:attempt \d+ failed: |\d+(?: of \d+)?: |baseline\b).*\n/gm, '')
    .replace(/^perturb: warning: .*: not a Perturb server, .*\n/m, '');
}
