import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { perturb } from '../harness/program.js';
import { few, secondsSince, serve, until } from '../harness/server.js';
import { openRuns, SEEN } from './runs.js';

/** @import { Place, Scenario } from '../harness/scenario.js' */

/** @typedef {Awaited<ReturnType<typeof openRuns>>} Runs */

/** Waits for a file, as a line of a command. @param {string} name */
const waitFor = (name) => `until [ -e ${name} ]; do sleep 0.02; done`;

/** The attempts of a run, as `passed,inconclusive`. @param {string} stdout */
function outcomes(stdout) {
  try {
    const { attempts } = JSON.parse(stdout);
    return attempts.map((/** @type {{ outcome: string }} */ { outcome }) => outcome).join(',');
  } catch {
    return `not JSON: ${stdout.slice(0, 200)}`;
  }
}

/** Ends the server, and starts it again at its port. @param {Place} place @param {Runs} runs */
function restarter(place, runs) {
  let { server } = runs;
  const options = ['--port', String(server.port)];
  return {
    /** @param {NodeJS.Signals} signal */
    async end(signal) {
      server.child.kill(signal);
      await server.exit;
    },
    async begin() {
      server = await serve(place, { options });
    },
  };
}

/** @type {Scenario} */
export const runTogether = {
  name: 'run-together',
  promise:
    'of many runs that begin at one server at once, one at a time mutates it; that of a killed one waits for its --resume',
  async run(place, size) {
    const runs = await openRuns(place, 2);
    /** @type {string[]} */
    const broken = [];
    // Two at once would not both make the directory.
    const script = `mkdir alone || exit 9; sleep 0.1; ${SEEN}; rmdir alone`;
    const count = size === 'full' ? 6 : 2;
    mkdirSync(runs.at('tmp'));
    const since = performance.now();
    const ended = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        // Half of them do not see the locks of the others, as if they were on another machine.
        const env = index % 2 === 0 ? {} : { TMPDIR: runs.at('tmp') };
        return perturb(place.directory, runs.args(`together-${index}`, script), env);
      }),
    );
    for (const [index, { code, stderr }] of ended.entries()) {
      if (code !== 0) broken.push(`run ${index} of ${count} ends with ${code}: ${stderr}`);
    }
    const took = secondsSince(since);
    const wait = `[ -e go ] || { touch begun; ${waitFor('go')}; }; ${SEEN}`;
    const killed = runs.start(runs.args('killed', wait));
    if (!(await until(() => existsSync(runs.at('begun'))))) broken.push('the run has not begun');
    killed.child.kill('SIGKILL');
    await killed.ended;
    writeFileSync(runs.at('go'), '');
    const left = runs.system.active();
    if (left === 0) broken.push('the killed run left nothing, which proves nothing');
    const other = await perturb(place.directory, runs.args('other', SEEN, []));
    if (other.code !== 4 || !other.stderr.includes('is in use by a run that began at'))
      broken.push(`a second run is not refused: ${other.code}: ${other.stderr}`);
    if (runs.system.active() !== left) broken.push('a second run changed what the first one left');
    const resumed = await perturb(place.directory, ['objective', 'run', '--resume', 'killed']);
    if (resumed.code !== 0) broken.push(`resuming ends with ${resumed.code}: ${resumed.stderr}`);
    const next = await perturb(place.directory, runs.args('next', SEEN, []));
    if (next.code !== 0) broken.push(`the next run ends with ${next.code}: ${next.stderr}`);
    if (runs.system.active() > 0) broken.push(`${runs.system.active()} are active`);
    const figures = `${count} runs at once in ${took}; 1 killed`;
    return { figures, broken: few(broken) };
  },
};

/** @type {Scenario} */
export const runOutages = {
  name: 'run-outages',
  promise:
    'a run waits for a server that is away, repeats what it disturbed, and judges as many attempts; given up, it can be resumed',
  async run(place, size) {
    const attempts = size === 'full' ? 3 : 2;
    const runs = await openRuns(place, attempts);
    const server = restarter(place, runs);
    /** @type {string[]} */
    const broken = [];
    const json = ['--format', 'json'];
    const since = performance.now();
    const slow = runs.args('away', `sleep 0.3; ${SEEN}`, [...json, '--patience', '60s']);
    let isOver = false;
    const running = perturb(place.directory, slow).finally(() => {
      isOver = true;
    });
    let outages = 0;
    const most = attempts + 1;
    // Each after another number of steps: while it injects, while the command runs, while it resets.
    for (; outages < most && !isOver; outages += 1) {
      const steps = runs.lines('away') + 2 + outages;
      await until(() => isOver || runs.lines('away') >= steps);
      if (isOver) break;
      await server.end('SIGKILL');
      await new Promise((done) => setTimeout(done, 100 * outages));
      await server.begin();
    }
    const { code, stdout, stderr } = await running;
    const passed = outcomes(stdout)
      .split(',')
      .filter((/** @type {string} */ one) => one === 'passed').length;
    if (code !== 0 || passed !== attempts) broken.push(`${code}, ${outcomes(stdout)}: ${stderr}`);
    if (outages === 0) broken.push('the server was never away, which proves nothing');
    const took = secondsSince(since);
    // Now it stays away for longer than anybody waits.
    const wait = `[ -e go ] || { touch begun; ${waitFor('go')}; }; ${SEEN}`;
    const given = perturb(place.directory, runs.args('given-up', wait, ['--patience', '1ms']));
    await until(() => existsSync(runs.at('begun')));
    await server.end('SIGKILL');
    writeFileSync(runs.at('go'), '');
    const up = await given;
    if (
      up.code !== 4 ||
      !/These mutators may still be active:\n {2}perturb mutators reset /.test(up.stderr)
    )
      broken.push(`given up with ${up.code}: ${up.stderr}`);
    await server.begin();
    const resumed = await perturb(place.directory, ['objective', 'run', '--resume', 'given-up']);
    if (resumed.code !== 0) broken.push(`resuming ends with ${resumed.code}: ${resumed.stderr}`);
    if (runs.system.active() > 0) broken.push(`${runs.system.active()} are active`);
    return {
      figures: `${outages} outages in ${attempts} attempts, ${took}; 1 given up`,
      broken: few(broken),
    };
  },
};

/** @type {Scenario} */
export const runBenches = {
  name: 'run-benches',
  promise:
    'a run at several benches that is killed leaves nothing active at any of them, once it is resumed with all of them or with one',
  async run(place, size) {
    const runs = await openRuns(place, 6);
    const benches = [runs];
    for (const name of ['b', 'c']) {
      const directory = runs.at(name);
      mkdirSync(directory);
      benches.push(await openRuns({ ...place, directory }));
    }
    const tables = benches.map(
      ({ server }, at) => `[benches.${'abc'[at]}]\nservers = ["${server.url}"]\n`,
    );
    writeFileSync(runs.at('perturb.toml'), tables.join(''));
    const activeAt = () => benches.map(({ system }) => system.active());
    const mutated = () => activeAt().filter((count) => count > 0).length;
    /** @type {string[]} */
    const broken = [];
    let disturbed = 0;
    const kills = size === 'full' ? 12 : 2;
    for (let kill = 0; kill < kills; kill += 1) {
      const out = `benches-${kill}`;
      const [program = '', verb = '', file = ''] = runs.args(out, '');
      const flags = ['--bench', 'all', '--seed', '3', '--baseline', '0', '--out', out];
      // Later attempts than these wait to be killed, at two benches or at all.
      const before = kill % 4;
      const wait = `[ "$PERTURB_ATTEMPT" -le ${before} ] || ${waitFor(`${runs.at(out)}.go`)}`;
      const run = runs.start([program, verb, file, ...flags, '--', 'sh', '-c', `${wait}; ${SEEN}`]);
      await until(() => run.child.exitCode !== null || mutated() > 1 + (kill % 2));
      run.child.kill('SIGKILL');
      await run.ended;
      writeFileSync(runs.at(`${out}.go`), '');
      if (mutated() > 1) disturbed += 1;
      // The benches that are gone on without keep the lease of the killed run until it lapses.
      const fewer = kill < kills - 1 ? [] : ['--bench', 'b'];
      const resume = ['objective', 'run', '--resume', out, ...fewer];
      const { code, stderr } = await perturb(place.directory, resume);
      if (code !== 0) broken.push(`${out}: resuming ends with ${code}: ${stderr}`);
      if (activeAt().some((count) => count > 0)) broken.push(`${out}: ${activeAt()} are active`);
    }
    if (disturbed < kills)
      broken.push(
        `${kills - disturbed} kills did not leave two benches mutated, which proves nothing`,
      );
    const figures = `3 benches, ${kills} kills, ${disturbed} with mutations at several`;
    return { figures, broken: few(broken) };
  },
};

/** What stands in the place of a run's directory, or of its journal; the shell makes it. */
const NO_RUNS = {
  file: 'echo text > "$1"',
  pipe: 'mkfifo "$1"',
  link: 'ln -s "$1" "$1"',
  'a directory as journal': 'mkdir -p "$1/journal"',
  'a pipe as journal': 'mkdir "$1"; mkfifo "$1/journal"',
  'a device as journal': 'mkdir "$1"; ln -s /dev/zero "$1/journal"',
  'noise as journal': 'mkdir "$1"; head -c 1000000 /dev/urandom > "$1/journal"',
};

/** @type {Scenario} */
export const runResumed = {
  name: 'run-resumed',
  promise:
    '--resume of anything ends soon and says why; of an ended run it shows the same again; --report of an unfinished one writes what there is, and changes nothing',
  async run(place, size) {
    const runs = await openRuns(place);
    /** @type {string[]} */
    const broken = [];
    const resume = (/** @type {string[]} */ ...more) =>
      perturb(place.directory, ['objective', 'run', '--resume', ...more]);
    const all = Object.entries(NO_RUNS);
    const places = size === 'full' ? all : all.slice(-2);
    for (const [at, [name, script]] of places.entries()) {
      spawnSync('sh', ['-c', script, 'sh', runs.at(`no-run-${at}`)]);
      const { code, stderr } = await resume(`no-run-${at}`, '--report', 'none.html');
      const isPlain = /^perturb: [^\n]+\n/.test(stderr) && !/\n {4}at /.test(stderr);
      if (!(code === 2 || code === 4) || !isPlain) broken.push(`${name}: ${code}: ${stderr}`);
    }
    if (existsSync(runs.at('none.html'))) broken.push('a report of no run was written');
    const first = await perturb(place.directory, runs.args('ended', SEEN));
    if (first.code !== 0) broken.push(`the run ends with ${first.code}: ${first.stderr}`);
    const again = await resume('ended');
    if (again.code !== 0 || again.stdout !== first.stdout)
      broken.push(`it is not shown again: ${again.code}: ${again.stdout}${again.stderr}`);
    // Of each beginning of its journal there is a report, though no server answers.
    runs.server.child.kill('SIGKILL');
    await runs.server.exit;
    const [header, , ...records] = readFileSync(runs.at('ended/journal'), 'utf8').split('\n');
    // Without the line that counts those which were written: they would be missed.
    const lines = [header, ...records];
    let reports = 0;
    for (let cut = 2; cut < lines.length - 1; cut += size === 'full' ? 1 : 4) {
      const out = `cut-${cut}`;
      cpSync(runs.at('ended'), runs.at(out), { recursive: true });
      const text = `${lines.slice(0, cut).join('\n')}\n${lines[cut]?.slice(0, 20)}`;
      writeFileSync(runs.at(`${out}/journal`), text);
      const { code, stderr } = await perturb(place.directory, [
        'runs',
        'report',
        out,
        `${out}.html`,
      ]);
      if (code !== 0) broken.push(`${out}: ${code}: ${stderr}`);
      if (!existsSync(runs.at(`${out}.html`))) broken.push(`${out}: there is no report`);
      if (readFileSync(runs.at(`${out}/journal`), 'utf8') !== text)
        broken.push(`${out}: the journal was changed`);
      reports += 1;
    }
    return {
      figures: `${places.length} things that are no run, ${reports} unfinished runs`,
      broken: few(broken),
    };
  },
};

export const evidenceScenarios = [runTogether, runOutages, runBenches, runResumed];
