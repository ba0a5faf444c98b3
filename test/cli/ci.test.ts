import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { reporters } from '../../src/reporters/index.js';
import { CLEAN, directoryWith, WRONG } from './program.js';

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

/** The commands in the set-ups, as a shell would get them. */
const commands = [...docs.matchAll(/node_modules\/\.bin\/(perturb [^\n']+)/g)]
  .map(([, command]) => command as string)
  .filter((command) => !command.includes('`'));

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
    'name',
    'name',
    'name',
    'objectives',
  ]);
  expect(commands).toHaveLength(3);
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

test('the hooks of pre-commit run, on the files that they are for', () => {
  const { run } = project({ 'b.mutators.toml': CLEAN, 'mutators.toml': CLEAN });
  const results = hooks.map(({ id, entry, files }) => {
    const given = [
      'a.objective.toml',
      'b.mutators.toml',
      'c-mutators.toml',
      'mutators.toml',
    ].filter((file) => new RegExp(files).test(file));
    return [id, given, run(`${entry} ${given.join(' ')}`).status];
  });
  expect(results).toEqual([
    ['perturb', ['a.objective.toml'], 0],
    ['perturb-manifests', ['b.mutators.toml', 'mutators.toml'], 1],
  ]);
  const [config] = blocks('yaml').map((text) => parse(text));
  expect(config.repos[0].hooks.map((hook: Hook) => hook.id)).toEqual(hooks.map(({ id }) => id));
  const { status } = run(`${hooks[0]?.entry} ${config.repos[0].hooks[0].args.join(' ')} bench/..`);
  expect(status).toBe(0);
});

const check = action.runs.steps[1].run as string;

test.each([
  ['nothing but the defaults', {}, 1, /^::error file=b\.objective\.toml,line=1,/m],
  ['paths, one a line', { paths: 'a.objective.toml\n' }, 0, /^no problems in 1 file\n$/],
  ['a path with a space', { paths: 'c d.toml' }, 1, /file=c d\.toml/],
  ['several formats', { format: 'compact\nsarif=x.sarif\n' }, 1, /^b\.objective\.toml:1:1: error/],
  ['mutators', { mutators: 'no.toml' }, 4, /^$/],
  ['what would be a command', { paths: '$(touch hacked); touch hacked' }, 2, /^$/],
])('the action with %s', (_name, inputs, status, output) => {
  const { cwd, run } = project({ 'b.objective.toml': WRONG, 'c d.toml': WRONG });
  const values: Readonly<Record<string, string>> = inputs;
  const given = (name: string) => values[name] ?? action.inputs[name].default;
  const env = { PATHS: given('paths'), MUTATORS: given('mutators'), FORMAT: given('format') };
  const ended = run(check, env);
  expect(ended.status).toBe(status);
  expect(ended.stdout).toMatch(output);
  expect(existsSync(join(cwd, 'x.sarif'))).toBe(env.FORMAT.includes('x.sarif'));
  expect(existsSync(join(cwd, 'hacked'))).toBe(false);
});

test('the action hands its inputs over in variables, and the docs list them', () => {
  const used = (action.runs.steps as { env?: Record<string, string>; run: string }[]).map(
    ({ env = {}, run }) => {
      expect(run).not.toContain('${{');
      return Object.values(env);
    },
  );
  const names = Object.keys(action.inputs);
  expect(used.flat().sort()).toEqual(names.map((name) => `\${{ inputs.${name} }}`).sort());
  const [, table] = docs.split('| input | is |');
  const listed = [...(table?.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)`/gm)];
  expect(listed.map(([, name]) => name)).toEqual(names);
});
