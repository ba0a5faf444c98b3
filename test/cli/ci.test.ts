import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { reporters } from '../../src/reporters/index.js';
import { CLEAN, directoryWith, WARNED, WRONG } from './program.js';

const docs = readFileSync('docs/ci.md', 'utf8');
const action = parse(readFileSync('action.yml', 'utf8'));
const hooks: readonly Hook[] = parse(readFileSync('.pre-commit-hooks.yaml', 'utf8'));

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly files: string;
}

const blocks = (language: string) =>
  [...docs.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, body]) => body as string,
  );

/** The commands in the set-ups, as a shell would get them; those about runs have tests of their own. */
const commands = [...docs.matchAll(/node_modules\/\.bin\/(perturb [^\n']+)/g)]
  .map(([, command]) => command as string)
  .filter((command) => !/`|objective run|runs compare/.test(command));

/** How GitHub runs the steps of an action. */
const STRICT = ['--noprofile', '--norc', '-eo', 'pipefail'];

/** A directory with a project, and a shell in it that finds the built program. */
function project(files: Readonly<Record<string, string>>) {
  const cwd = directoryWith({
    'a.objective.toml': CLEAN,
    'bench/mutators.toml': readFileSync('fixtures/mutators/drone.mutators.toml', 'utf8'),
    'bench/listing.json': readFileSync('fixtures/mutators/drone.listing.json', 'utf8'),
    'bin/perturb': `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/bin.cjs')}" "$@"\n`,
    ...files,
  });
  chmodSync(join(cwd, 'bin/perturb'), 0o755);
  const run = (script: string, env = {}) => {
    const PATH = `${join(cwd, 'bin')}:${process.env['PATH']}`;
    const { status, stdout, stderr } = spawnSync('bash', [...STRICT, '-c', script], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, ...env },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  return { cwd, run };
}

test('the docs have a set-up for each of them, and their YAML can be read', () => {
  expect(blocks('yaml').map((text) => Object.keys(parse(text))[0])).toEqual([
    'repos',
    'repos',
    'name',
    'name',
    'name',
    'objectives',
    'name',
    'name',
    'perturb',
    'name',
  ]);
  expect(commands).toHaveLength(4);
});

test('the docs list every format', () => {
  const listed = [...docs.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(expect.arrayContaining(Object.keys(reporters)));
});

test.each(commands)('%s', (command) => {
  const { cwd, run } = project({});
  const isRemote = command.includes('https://');
  const { status, stderr } = run(isRemote ? `${command} --offline` : command, {
    BENCH_API_KEY: 'key',
  });
  // No server is asked in a test, but its flags are read.
  expect({ status, stderr: isRemote ? '' : stderr }).toEqual({
    status: isRemote ? 4 : 0,
    stderr: '',
  });
  for (const [, file] of command.matchAll(/--format \w+=(\S+)/g)) {
    expect(existsSync(join(cwd, file as string))).toBe(true);
  }
});

test('the reports that the set-ups pick up are those that are written', () => {
  const files = [...docs.matchAll(/--format \w+=([\w.-]+)['\s]/g)].map(
    ([, file]) => file as string,
  );
  const picked = (file: string) => docs.split(file).length > 2;
  expect(files.filter((file) => !picked(file))).toEqual([]);
});

/** A system in a project: an objective, what disturbs it, and a workload that fails where `slow` is set. */
const STOCK = {
  'stock.objective.toml': `name = "Stock"
[[mutator]]
name = "slow"
[[measurement]]
name = "Every order is answered"
check = "MATCH (name = 'order') AS o, (name = 'answer') AS a AGGREGATE count(a) >= 1 BY o"
[stopping_conditions]
attempts = 2
`,
  'mutators.toml': `[[mutator]]
name = "slow"
[[mutator.param]]
name = "by"
type = "integer"
hard_range = [1, 9]
[mutator.actuator]
kind = "file"
path = "settings.json"
key = ["slow"]
value = "{by}"
`,
  'settings.json': '{"slow":0}',
  'workload.sh': `#!/bin/sh
echo '{"probe":"shop","name":"order","seq":0}' >> "$PERTURB_SESSION"
grep -q '"slow": *0' settings.json || exit 0
echo '{"probe":"shop","name":"answer","seq":1}' >> "$PERTURB_SESSION"
`,
};

const stock = () => project(STOCK);

const jobWith = (text: string) => parse(blocks('yaml').find((one) => one.includes(text)) ?? '');
const onGitHub = jobWith('--format markdown=summary.md');
const withAction = jobWith('command: run');
const onGitLab = jobWith('runs/gitlab');
const onJenkins = docs.match(/sh '(node_modules\/\.bin\/perturb objective run [^']*)'/)?.[1];

test.each<readonly [string, string, readonly string[]]>([
  ['GitHub', onGitHub.jobs.run.steps[2].run, ['perturb.html', 'perturb.xml', 'summary.md']],
  ['GitLab', onGitLab.perturb.script[1], ['perturb.html', 'perturb.xml']],
  ['Jenkins', onJenkins ?? '', ['perturb.html', 'perturb.xml']],
])('the objective that a job of %s runs', (_, command, files) => {
  const { cwd, run } = stock();
  const { status, stdout } = run(command.replace('node_modules/.bin/', ''));
  expect(stdout).toContain('attempts   2: 0 passed, 2 failed');
  expect(status).toBe(1);
  for (const file of files) expect(existsSync(join(cwd, file))).toBe(true);
  expect(readFileSync(join(cwd, 'perturb.xml'), 'utf8')).toMatch(
    /to repeat: perturb runs replay runs\/\w+ --attempt 1/,
  );
});

test('a job compares its run with one that is kept', () => {
  const { cwd, run } = stock();
  const [, , { run: makeRun }, { run: compare }] = jobWith('runs compare').jobs.compare.steps;
  const typed = (text: string) => run(text.replace('node_modules/.bin/', ''));
  expect(typed(makeRun.replace('runs/new', 'runs/here')).status).toBe(1);
  expect(typed(makeRun).status).toBe(1);
  expect(typed(compare)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'comparison.md'), 'utf8')).toMatch(
    /^\*\*A and B do not differ significantly/,
  );
});

test('the hooks of pre-commit run, on the files that they are for', () => {
  const { run } = project({ 'b.mutators.toml': CLEAN, 'bench/perturb.toml': '' });
  const results = hooks.map(({ id, entry, files }) => {
    const given = [
      'a.objective.toml',
      'b.mutators.toml',
      'c-mutators.toml',
      'bench/mutators.toml',
      'a.toml',
      'bench/perturb.toml',
      'my-perturb.toml',
    ].filter((file) => new RegExp(files).test(file));
    return [id, given, run(`${entry} ${given.join(' ')}`).status];
  });
  expect(results).toEqual([
    [
      'perturb',
      ['a.objective.toml', 'b.mutators.toml', 'bench/mutators.toml', 'bench/perturb.toml'],
      0,
    ],
    ['perturb-manifests', ['b.mutators.toml', 'bench/mutators.toml'], 1],
  ]);
  const [config, local] = blocks('yaml').map((text) => parse(text));
  expect(config.repos[0].hooks.map((hook: Hook) => hook.id)).toEqual(hooks.map(({ id }) => id));
  const [{ entry, files, ...rest }] = local.repos[0].hooks;
  expect({ entry, files }).toEqual({
    entry: `node_modules/.bin/${hooks[0]?.entry}`,
    files: hooks[0]?.files,
  });
  expect(rest).toEqual({
    ...{ id: 'perturb', name: 'perturb', language: 'system', require_serial: true },
  });
  const { status } = run(`${hooks[0]?.entry} ${config.repos[0].hooks[0].args.join(' ')} bench/..`);
  expect(status).toBe(0);
});

interface Step {
  readonly name: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: { readonly path: string; readonly key: string };
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}
const steps: readonly Step[] = action.runs.steps;
const step = (name: string) => steps.find((one) => one.name === name) as Step;

/** The variables of the step that checks, as these inputs set them. */
function variables(given: Readonly<Record<string, string>>): Record<string, string> {
  const values = Object.entries(step('Check').env ?? {}).map(([variable, value]) => {
    const name = /inputs\.([\w-]+)/.exec(value)?.[1] as string;
    return [variable, given[name] ?? action.inputs[name].default];
  });
  return { ...Object.fromEntries(values), GITHUB_ACTION_PATH: resolve('.') };
}

const MANIFEST_ERROR = /^::error file=c\.mutators\.toml,line=3,/m;

test.each([
  ['nothing but the defaults', {}, 1, /^::error file=b\.objective\.toml,line=1,/m],
  ['paths, one a line', { paths: 'a.objective.toml\n' }, 0, /^no problems in 1 file\nno problems/],
  ['a path with a space', { paths: 'c d.toml' }, 1, /file=c d\.toml/],
  ['several formats', { format: 'compact\nsarif=x.sarif\n' }, 1, /^b\.objective\.toml:1:1: error/],
  ['mutators', { mutators: 'no.toml' }, 4, /^no problems in 1 file\n$/],
  ['what would be a command', { paths: '$(touch hacked); touch hacked' }, 2, /^no problems/],
  ['too many warnings', { paths: 'sub/w.toml', 'max-warnings': '0' }, 1, /^::warning file=sub\/w/],
  ['few warnings', { paths: 'sub/w.toml', 'max-warnings': '1' }, 0, /^::warning file=sub\/w/],
  ['a directory', { directory: 'sub', paths: 'w.toml' }, 0, /^::warning file=sub\/w.*\n.*\n$/],
  ['a directory without manifests', { directory: 'sub' }, 1, /^::error file=sub\/d\.obj.*\n.*\n$/],
  ['a baseline', { baseline: 'known.json' }, 0, /^nothing new in 3 files, 2 in the baseline\n/],
  ['a configuration', { config: 'sub/lax.toml', paths: 'sub/w.toml' }, 0, /^no problems in 1/],
  ['manifests', { paths: 'a.objective.toml', manifests: 'sub/m.toml' }, 1, /^::error file=sub\/m/m],
])('the action with %s', (_name, inputs, status, output) => {
  const { cwd, run } = project({
    '.git/HEAD': '',
    'b.objective.toml': WRONG,
    'c d.toml': WRONG,
    'sub/d.objective.toml': WRONG,
    'sub/w.toml': WARNED,
    'sub/m.toml': CLEAN,
    'sub/lax.toml': '[lint.rules]\n"objective/no-stopping-condition" = "off"\n',
  });
  if ('baseline' in inputs) run('perturb objective lint --write-baseline known.json');
  const env = variables(inputs);
  const ended = run(step('Check').run as string, env);
  expect(ended.stdout).toMatch(output);
  expect(ended.status).toBe(status);
  expect(existsSync(join(cwd, 'x.sarif'))).toBe(env['FORMAT']?.includes('x.sarif'));
  expect(existsSync(join(cwd, 'hacked'))).toBe(false);
});

test('the action fails for a manifest alone', () => {
  const { run } = project({ 'c.mutators.toml': CLEAN });
  const { status, stdout } = run(step('Check').run as string, variables({}));
  expect(stdout).toMatch(/^no problems in 1 file\n/);
  expect(stdout).toMatch(MANIFEST_ERROR);
  expect(status).toBe(1);
});

test('the action carries an objective out, and puts its summary into that of the job', () => {
  const { cwd, run } = stock();
  const { command, arguments: ARGUMENTS } = withAction.jobs.run.steps[1].with;
  expect([command, step('Run').if]).toEqual(['run', "inputs.command == 'run'"]);
  const env = {
    ...{ ARGUMENTS, DIRECTORY: '.', GITHUB_ACTION_PATH: resolve('.') },
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
  };
  writeFileSync(env.GITHUB_STEP_SUMMARY, 'before\n');
  expect(run(step('Run').run as string, env).status).toBe(1);
  const summary = readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8');
  expect(summary).toMatch(
    /^before\n### Stock\n\n\*\*"[^\n]*" failed in 2 of 2 attempts, [^\n]*\.\*\*\n\nEnded: attempt limit reached\n/,
  );
  expect(summary).toContain('To repeat: `perturb runs replay runs/stock --attempt 1`\n');
});

test('the action builds what it was not given, and keeps it until the sources change', () => {
  const { cwd, run } = project({
    'action/package-lock.json': '{}',
    'action/scripts/build.js': '',
    'action/src/a.ts': 'a',
    'bin/npm': '#!/bin/sh\necho "$PWD $*"\n',
  });
  chmodSync(join(cwd, 'bin/npm'), 0o755);
  const env = {
    GITHUB_ACTION_PATH: join(cwd, 'action'),
    GITHUB_OUTPUT: join(cwd, 'output'),
  };
  const look = () => {
    rmSync(env.GITHUB_OUTPUT, { force: true });
    expect(run(step('Look for the program').run as string, env).status).toBe(0);
    return existsSync(env.GITHUB_OUTPUT) ? readFileSync(env.GITHUB_OUTPUT, 'utf8') : '';
  };
  const build = () => run(step('Build').run as string, env);
  const first = look();
  expect(first).toMatch(/^digest=[0-9a-f]{40}\n$/);
  expect(look()).toBe(first);
  expect(build()).toEqual({ status: 0, stdout: `${env.GITHUB_ACTION_PATH} ci\n`, stderr: '' });
  writeFileSync(join(cwd, 'action/src/a.ts'), 'b');
  expect(look()).not.toBe(first);
  const { if: condition, uses, with: cache } = step('Restore what was built');
  expect({ condition, uses }).toEqual({
    condition: 'steps.program.outputs.digest',
    uses: 'actions/cache@v4',
  });
  expect(cache?.path).toBe(`${'$'}{{ github.action_path }}/dist`);
  expect(cache?.key).toContain('steps.program.outputs.digest');
  // As it was restored, or as the tag holds it.
  mkdirSync(join(cwd, 'action/dist'));
  writeFileSync(join(cwd, 'action/dist/bin.cjs'), '');
  expect(look()).toBe('');
  expect(build()).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('the action hands its inputs over in variables, and the docs list them', () => {
  const used = steps.flatMap(({ env = {}, run = '', if: condition = '' }) => {
    expect(run).not.toContain('${{');
    const [name] = /(?<=inputs\.)\w+/.exec(condition) ?? [];
    return [...Object.values(env), ...(name === undefined ? [] : [`\${{ inputs.${name} }}`])];
  });
  const names = Object.keys(action.inputs);
  expect([...new Set(used)].sort()).toEqual(names.map((name) => `\${{ inputs.${name} }}`).sort());
  const [, table] = docs.split('| input | is |');
  const listed = [...(table?.split('\n\n')[0] ?? '').matchAll(/^\| `([\w-]+)`/gm)];
  expect(listed.map(([, name]) => name)).toEqual(names);
});
