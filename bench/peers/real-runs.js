/*
 * How many attempts guided, pairwise and uniform make until the first failure of real systems: a server, the
 * processes of each attempt, and what they record. Each system has a fault planted, in a copy of its
 * example, that shows only within a narrow part of what its parameters can be.
 *
 * usage: node bench/peers/real-runs.js [SEEDS [drone|store]], after npm run build
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SEEDS = Number(process.argv[2] ?? 3);
const ONLY = process.argv[3];
const STRATEGIES = ['guided', 'pairwise', 'uniform'];
const MOST = 150;
const PROGRAM = resolve('dist/bin.cjs');

/**
 * @typedef {object} System
 * @property {string} example its directory in examples
 * @property {string} fault
 * @property {string} objective
 * @property {readonly string[]} command of an attempt
 * @property {(cwd: string) => Promise<readonly import('node:child_process').ChildProcess[]>} prepare
 *   plants the fault, and starts what outlives attempts
 */

const ending = `
[stopping_conditions]
attempts = ${MOST}
failing_measurements = 1
`;

/** @type {System} */
const drone = {
  example: 'drone',
  fault: 'drone: it resonates with a wind of 23.3 to 23.7 of 0 to 40 m/s',
  objective: `name = "hold position"

[[mutator]]
name = "wind"

[[mutator.param_constraints]]
name = "mode"
enum_options = ["steady"]

[[measurement]]
name = "within its room"
check = "MATCH (name = 'telemetry' OR name = 'crash') AS t AGGREGATE max(t.drift) < 14"
${ending}`,
  command: ['flight.js'],
  async prepare(cwd) {
    const wind = '(speed / 40) * 5 * gust';
    plant(cwd, 'flight.js', [[wind, `${wind} * (1 + 2 / (1 + ((speed - 23.4) / 2) ** 2))`]]);
    const ground = spawn(process.execPath, ['ground.js'], { cwd, stdio: 'ignore' });
    while (!(await fetch('http://127.0.0.1:7710/loss').catch(() => undefined))) await pause(20);
    return [ground];
  },
};

/** Replica B listens here, and replica A finds it here, behind the proxy. */
const [REPLICA, PROXY] = [7720, 7721];

/** Two replicas in real time: A answers a client, and replicates to B through the proxy. */
const WORKLOAD = `
import { connectTo } from './lines.js';
import { recorder } from './recorder.js';
import { startReplica } from './replica.js';

const settings = { replication: { delay: 0, batch: 1 }, clock: { skew: 0 } };
const b = await startReplica('B', settings);
const a = await startReplica('A', settings);
const { ask, close } = await connectTo(a.port);
await ask({ do: 'join', ports: [${PROXY}] });
const record = recorder('CLIENT');
for (let write = 0; write < 6; write += 1) {
  const after = Math.floor(write / 2);
  const key = \`key-\${write % 2}\`;
  await ask({ do: 'write', key, value: write, after, now: 0, id: record('write', { key, version: after + 1 }) });
}
await ask({ do: 'leave' });
close();
process.exit();
`;

/**
 * What A does with a replica that is slow: after 250 ms it takes an entry for lost, and sends it again
 * after the next ones; one that does not answer for 400 ms is left out.
 */
const SENDING = `
    for (const { entry, id } of [...unsent.splice(0), ...lost.splice(0)]) {
      for (const peer of [...peers]) {
        const start = performance.now();
        const late = new Promise((done) => setTimeout(done, 400, 'late'));
        const answer = await Promise.race([peer.ask({ do: 'replicate', entry, id }).catch(() => 'late'), late]);
        const took = Math.round(performance.now() - start);
        if (answer === 'late') peers = peers.filter((one) => one !== peer);
        else record('acknowledged', { took }, id);
        if (answer !== 'late' && took > 250) lost.push({ entry, id });
      }
    }`;

/** @type {System} */
const store = {
  example: 'store',
  fault: 'store: what is acknowledged after 250 to 400 of 0 to 4,000 ms is sent again, too late',
  objective: `name = "newest write wins"

[mutation_constraints]
max_concurrent_mutations = 2

[[mutator]]
name = "proxy-latency"

[[mutator.param_constraints]]
name = "delay"
range = [0, 4000]

[[mutator.param_constraints]]
name = "jitter"
range = [0, 20]

[[mutator]]
name = "proxy-cut"

[[measurement]]
name = "no stale overwrite"
should_pass = false
check = """
  MATCH (name = 'stored') AS newer, (name = 'stored' AND by = 'replica') AS older
  WHEN newer -> older
  FILTER newer.probe = older.probe AND newer.key = older.key AND older.version < newer.version
"""

[[measurement]]
name = "acknowledged in time"
check = "MATCH (name = 'acknowledged') AS a AGGREGATE max(a.took) < 1000"
${ending}`,
  command: ['real-time.js'],
  async prepare(cwd) {
    const name =
      "for (const { entry, id } of unsent.splice(0)) {\n      for (const peer of peers) await peer.ask({ do: 'replicate', entry, id });\n    }";
    plant(cwd, 'replica.js', [
      [name, SENDING.trim()],
      ['const unsent = [];', 'const unsent = [];\n  const lost = [];'],
      [
        "        return {};\n      case 'tick'",
        "        record('acknowledged', { took: 0 });\n        return {};\n      case 'tick'",
      ],
    ]);
    plant(cwd, 'lines.js', [
      ['server.listen(0, HOST)', 'server.listen(ports.shift(), HOST)'],
      ["const HOST = '127.0.0.1';", `const HOST = '127.0.0.1';\nconst ports = [${REPLICA}, 0];`],
    ]);
    writeFileSync(join(cwd, 'real-time.js'), WORKLOAD);
    rmSync(join(cwd, 'mutators.toml'));
    const ends = [`127.0.0.1:${PROXY}`, `127.0.0.1:${REPLICA}`];
    const { status, said } = await perturb(cwd, [
      ...['mutators', 'new', 'proxy', '--listen', String(ends[0]), '--upstream', String(ends[1])],
    ]);
    if (status !== 0) throw new Error(said);
    return [];
  },
};

/** @param {string} cwd @param {string} file @param {readonly (readonly [string, string])[]} changes */
function plant(cwd, file, changes) {
  let text = readFileSync(join(cwd, file), 'utf8');
  for (const [before, after] of changes) {
    if (!text.includes(before)) throw new Error(`${file} has no ${before}`);
    text = text.replace(before, () => after);
  }
  writeFileSync(join(cwd, file), text);
}

/** @param {string} cwd @param {readonly string[]} words @returns {Promise<{ status: number, said: string }>} */
function perturb(cwd, words) {
  const options = { cwd, maxBuffer: 1 << 28 };
  return new Promise((done) => {
    execFile(process.execPath, [PROGRAM, ...words], options, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), said: stdout || stderr });
    });
  });
}

/** The attempts until the first failure, over MOST for none; and how long one took, in seconds. @param {System} system @param {string} strategy @param {number} seed */
async function attempts({ example, objective, command, prepare }, strategy, seed) {
  const cwd = mkdtempSync(join(tmpdir(), 'perturb-real-'));
  /** @type {import('node:child_process').ChildProcess[]} */
  const running = [];
  try {
    cpSync(join('examples', example), cwd, { recursive: true });
    running.push(...(await prepare(cwd)));
    writeFileSync(join(cwd, 'narrow.objective.toml'), objective);
    const server = spawn(process.execPath, [PROGRAM, 'serve', 'mutators', '--port', '0'], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(server);
    let heard = '';
    while (!heard.includes('Ctrl-C')) heard += (await once(server.stderr, 'data'))[0];
    const url = /at (http:\S+)/.exec(heard)?.[1] ?? '';
    server.stderr.resume();
    const start = performance.now();
    const { status, said } = await perturb(cwd, [
      ...['objective', 'run', 'narrow.objective.toml', '--server', url, '--strategy', strategy],
      ...['--seed', `${seed}`, '--format', 'json', '--', process.execPath, ...command],
    ]);
    if (status > 1) throw new Error(said);
    /** @type {{ attempts: { outcome: string }[] }} */
    const run = JSON.parse(said);
    const count = run.attempts.length;
    const seconds = (performance.now() - start) / 1_000 / count;
    return { count: status === 1 ? count : Number.POSITIVE_INFINITY, seconds };
  } finally {
    for (const child of running.reverse()) {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    rmSync(cwd, { recursive: true, force: true });
  }
}

const shown = (/** @type {number} */ count) => (count > MOST ? `over ${MOST}` : `${count}`);

process.stdout.write(
  `| system | strategy | attempts until the first failure, ${SEEDS} seeds | median | seconds each |\n`,
);
process.stdout.write('| --- | --- | --- | --: | --: |\n');
for (const system of [drone, store].filter(
  ({ example }) => ONLY === undefined || example === ONLY,
)) {
  for (const strategy of STRATEGIES) {
    /** @type {number[]} */
    const counts = [];
    let seconds = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const one = await attempts(system, strategy, seed);
      counts.push(one.count);
      seconds += one.seconds;
    }
    const median = [...counts].sort((one, other) => one - other)[(SEEDS - 1) >> 1] ?? 0;
    const cells = [
      system.fault,
      strategy,
      counts.map(shown).join(', '),
      shown(median),
      (seconds / SEEDS).toFixed(2),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
