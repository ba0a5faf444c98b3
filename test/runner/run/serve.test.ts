import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith, perturb, perturbProcess } from '../../cli/program.js';

/* Runs that serve a manifest themselves. */

const MANIFEST = `[[mutator]]
name = "level"
[[mutator.param]]
name = "value"
type = "integer"
hard_range = [8, 9]
[mutator.actuator]
kind = "file"
path = "level"
template = "{value}"
`;

const OBJECTIVE = `name = "level"
[[measurement]]
name = "low"
check = "MATCH (name = 'high') AS high AGGREGATE count() = 0"
[stopping_conditions]
attempts = 1
`;

/** Tells whether the level is above 7, or the lack of a fault. */
const TELL = `L=$(cat level); [ "$L" = low ] || [ "$L" -le 7 ] && N=end || N=high; echo '{"probe":"S","name":"'$N'"}' >> "$PERTURB_SESSION"`;
/** The same, but with a fault it waits at first. */
const WAIT = `[ -e hurry ] || [ "$(cat level)" = low ] || { echo $$ > pid; mv pid started; exec sleep 600; }; ${TELL}`;
const SLOW = { timeout: 120_000 };

const setUp = (more: Readonly<Record<string, string>> = {}) =>
  directoryWith({
    'bench/mutators.toml': MANIFEST,
    'x.toml': OBJECTIVE,
    'bench/level': 'low',
    ...more,
  });

const inBench = (script: string) => ['--', 'sh', '-c', `cd bench; ${script}`];
const RUN = ['objective', 'run', 'x.toml', '--seed', '1', '--out', 'r'];
const SERVE = ['--serve', 'bench/mutators.toml'];

/** Whether something still listens where the run's server did. */
async function listens(cwd: string, run: string): Promise<boolean> {
  const [, url = ''] =
    /"url":"([^"]+)"/.exec(readFileSync(join(cwd, run, 'server.log'), 'utf8')) ?? [];
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  return fetch(url).then(
    () => true,
    () => false,
  );
}

test(
  'a run serves a manifest, ends the server, and is replayed and shown without one',
  SLOW,
  async () => {
    const cwd = setUp();
    const { code, stdout, stderr } = await perturbProcess([...RUN, ...SERVE, ...inBench(TELL)], {
      cwd,
    });
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'perturb: serve: bench/mutators.toml']);
    expect(stdout).toMatch(/^1 +failed +level value=[89] +low$/m);
    expect(await listens(cwd, 'r')).toBe(false);
    expect(readFileSync(join(cwd, 'bench/level'), 'utf8')).toBe('low');

    const again = await perturbProcess(['runs', 'replay', 'r', '--attempt', '1'], { cwd });
    expect(again.stdout).toMatch(/^1 +failed +level value=[89] +low$/m);
    expect(await listens(cwd, 'r-attempt-1')).toBe(false);

    const shown = await perturb(['objective', 'run', '--resume', 'r'], { cwd });
    expect([shown.code, shown.stderr]).toEqual([1, '']);
  },
);

test('perturb.toml names the manifest, and --server comes first', SLOW, async () => {
  const cwd = setUp({ 'bench/perturb.toml': '[run]\nserve = "mutators.toml"\n' });
  const config = ['--config', 'bench/perturb.toml'];
  const served = await perturbProcess([...RUN, ...config, ...inBench(TELL)], { cwd });
  expect([served.code, served.stderr.split('\n')[0]]).toEqual([
    1,
    'perturb: serve: bench/mutators.toml',
  ]);
  const nowhere = ['--server', 'http://127.0.0.1:1', '--patience', '1ms'];
  const refused = await perturb([...RUN, ...config, ...nowhere, ...inBench(TELL)], { cwd });
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringContaining('http://127.0.0.1:1'),
  ]);
});

test('a manifest that merely lies there is not served', async () => {
  const cwd = setUp({ 'mutators.toml': MANIFEST });
  expect(await perturb([...RUN, ...inBench(TELL)], { cwd })).toMatchObject({
    code: 2,
    stderr: `perturb: no mutator server specified or configured
Pass one with --server URL, start one with --serve mutators.toml, or add a table [servers.NAME] with a url to perturb.toml.
`,
  });
});

test.each([
  [
    ['--serve', 'none.toml'],
    4,
    `perturb: cannot read none.toml: no such file or directory
Name the manifest, as in perturb serve mutators bench/mutators.toml.
perturb: the mutators of none.toml cannot be served
`,
  ],
  [
    [...SERVE, '--server', 'http://127.0.0.1:1'],
    2,
    "perturb: option '--serve <manifest>' cannot be used with option '-s, --server <server>'\n",
  ],
])('%s', SLOW, async (flags, code, stderr) => {
  const cwd = setUp();
  expect(await perturbProcess([...RUN, ...flags, ...inBench(TELL)], { cwd })).toEqual({
    code,
    stdout: '',
    stderr,
  });
});

test('a killed run leaves nothing mutated, and is resumed with a new server', SLOW, async () => {
  const cwd = setUp();
  const args = [resolve('dist/bin.cjs'), ...RUN, ...SERVE, ...inBench(WAIT)];
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const level = () => readFileSync(join(cwd, 'bench/level'), 'utf8');
  await expect.poll(() => existsSync(join(cwd, 'bench/started')), SLOW).toBe(true);
  expect(level()).toMatch(/^[89]$/);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  process.kill(Number(readFileSync(join(cwd, 'bench/started'), 'utf8')));
  await expect.poll(level, SLOW).toBe('low');
  await expect.poll(() => listens(cwd, 'r'), SLOW).toBe(false);
  writeFileSync(join(cwd, 'bench/hurry'), '');
  const { code, stdout } = await perturbProcess(['objective', 'run', '--resume', 'r'], { cwd });
  expect(stdout).toMatch(/^1 +failed +level value=[89] +low$/m);
  expect([code, level()]).toEqual([1, 'low']);
});

test('an error of the run is not hidden by one at the end of its server', SLOW, async () => {
  const cwd = setUp();
  const killServer = `for p in /proc/[0-9]*; do
[ "$(readlink $p/cwd)" = "$PWD" ] && grep -qzx -e --until-stdin-ends $p/cmdline && kill -9 \${p#/proc/}
done`;
  const script = `cd ..; rm -f report.html; mkdir report.html; ${killServer}`;
  const flags = ['--baseline', '0', '--patience', '1ms', '--report', 'report.html'];
  const { code, stderr } = await perturbProcess([...RUN, ...SERVE, ...flags, ...inBench(script)], {
    cwd,
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /perturb: a mutator of bench\/mutators\.toml may still be active\nTo reset it, run perturb serve mutators bench\/mutators\.toml\.\nperturb: cannot write report\.html: .*\n/,
  );
});
