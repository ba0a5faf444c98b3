import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { CLEAN } from './cli/program.js';
import { type Installation, installPackage } from './docs/installed.js';
import { Client } from './editor/client.js';

/*
 * The package as a user gets it: packed from a copy of the sources that was never built, then
 * installed with its dependencies from the registry in an empty folder.
 */

let files: Installation['files'];
let tarball: Buffer;
let home: string;
let program: string;
let warnings: string;

function run(command: string, args: readonly string[], cwd: string): SpawnSyncReturns<string> {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (result.error) throw result.error;
  return result;
}

/** Runs a program that must succeed; gives what it printed. */
function succeed(command: string, args: readonly string[], cwd: string) {
  const { status, stdout, stderr } = run(command, args, cwd);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return { stdout, stderr };
}

beforeAll(async () => {
  const installation = await installPackage();
  ({ files, home, warnings } = installation);
  tarball = readFileSync(installation.tarball);
  program = join(installation.modules, '.bin/perturb');
}, 600_000);

test('the package holds the program, the library, the docs and the grammar', () => {
  const tops = files.map((path) => path.split('/')[0]);
  expect([...new Set(tops)].sort()).toEqual(
    [
      ...[
        'CHANGELOG.md',
        'CONTRIBUTING.md',
        'LICENSE',
        'README.md',
        'SECURITY.md',
        'package.json',
        '.github',
      ],
      ...['dist', 'docs', 'editors', 'examples', 'grammar'],
    ].sort(),
  );
  const built = files.filter((path) => path.startsWith('dist/'));
  const shapes = built.map((path) =>
    path
      .replace(/library\/[\w-]+\.js/, 'library/NAME.js')
      .replace(/program-[\w-]+\.cjs/, 'program-NAME.cjs'),
  );
  expect([...new Set(shapes)].sort()).toEqual([
    'dist/bin.cjs',
    'dist/index.d.ts',
    'dist/index.js',
    'dist/languageserver.cjs',
    'dist/languageserver.cjs.cache',
    'dist/library/NAME.js',
    ...['dist/program-NAME.cjs', 'dist/program-NAME.cjs.map'],
    'dist/program.cjs',
    'dist/program.cjs.cache',
    'dist/program.cjs.map',
    ...['clock', 'containers', 'machine', 'network', 'process', 'proxy'].map(
      (name) => `dist/ready-made/${name}.mjs`,
    ),
    ...['dist/server.cjs', 'dist/server.cjs.cache', 'dist/server.cjs.map'],
  ]);
});

test('it is as small as the README tells', () => {
  const told = /under\s+([\d.]+)\s+MB,\s+and\s+under\s+([\d.]+)\s+MB\s+unpacked/;
  const [, size, unpacked] = told.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect([size, unpacked]).not.toContain(undefined);
  expect(tarball.length / 1e6).toBeLessThan(Number(size));
  const installed = join(home, 'node_modules/perturb');
  const unpackedSize = files.reduce((sum, path) => sum + statSync(join(installed, path)).size, 0);
  expect(unpackedSize / 1e6).toBeLessThan(Number(unpacked));
});

test('with --debug, the stack of a bug names the sources', () => {
  const NODE_OPTIONS = '--import=data:text/javascript,JSON.stringify=null';
  const args = ['rules', '--format', 'json', '--debug'];
  const env = { ...process.env, NODE_OPTIONS };
  const { stderr } = spawnSync(program, args, { cwd: home, env, encoding: 'utf8' });
  expect(stderr).toMatch(/^ {4}at .*\/src\/cli\/rules\.ts:\d+:\d+\)$/m);
});

test('its dependencies fit the version of Node', () => {
  expect(warnings).not.toContain('EBADENGINE');
});

test('publint finds nothing', async () => {
  const { buffer, byteOffset, byteLength } = tarball;
  const { messages } = await publint({
    pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer },
    strict: true,
  });
  expect(messages).toEqual([]);
});

test('its types resolve as its modules do, for ESM', async () => {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  if (!result.types) throw new Error('it has no types');
  expect(Object.keys(result.entrypoints).sort()).toEqual([
    '.',
    './package.json',
    './schema/manifest.json',
    './schema/objective.json',
    './schema/results.json',
  ]);
  // The package is for ESM alone.
  const problems = result.problems.filter(
    (problem) =>
      !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  );
  expect(problems).toEqual([]);
});

const CONSUMER = `import {
  arrange, canonicalJson, check, count, decodeSource, type Finding, type Expression, lint, loadObjective,
  type Objective, parse, print, type Reporter, reporters, rules, type Span, version,
} from 'perturb';

const decoded = decodeSource('wind.objective.toml', new Uint8Array());
const findings: Finding[] = arrange(lint(decoded));
const spans: (Span | undefined)[] = findings.map(({ span }) => span);
const pretty: Reporter = reporters.pretty;
const context = { color: false, directory: '/bench', root: '/bench' };
const text: string = await pretty({ findings, fileCount: 1, rules, version }, context);
const objective: Objective | undefined = loadObjective(decoded).objective;
const canonical: string | undefined = objective && canonicalJson(objective);
const expression: Expression | undefined = check("MATCH (name = 'A') AS a", { role: 'check' }).expression;
const printed: string | undefined = expression && print(expression);
// @ts-expect-error: the types are there, and not all any.
const wrong: number = version;
export { canonical, count, parse, printed, spans, text, wrong };
`;

test.each([
  ['node16', 'node16', 'typescript'],
  ['bundler', 'esnext', 'typescript7'],
])('a strict program compiles against its types: %s', (moduleResolution, module, compiler) => {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    module,
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  };
  writeFileSync(join(home, 'consumer.mts'), CONSUMER);
  const config = JSON.stringify({ compilerOptions, files: ['consumer.mts'] });
  writeFileSync(join(home, 'tsconfig.json'), config);
  const { status, stdout } = run(
    process.execPath,
    [resolve('node_modules', compiler, 'bin/tsc'), '--project', '.'],
    home,
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('the library runs', () => {
  const script = `import { decodeSource, lint } from 'perturb';
    console.log(lint(decodeSource('a', Buffer.from('name = 1'))).map(({ rule }) => rule).join());`;
  const args = ['--input-type=module', '--eval', script];
  expect(succeed(process.execPath, args, home)).toEqual({
    stdout: 'objective/missing-key,objective/no-stopping-condition,objective/wrong-type\n',
    stderr: '',
  });
});

const MANIFEST = `[[mutator]]
name = "wind"
max_active = "10min"

[[mutator.param]]
name = "speed"
type = "float"
hard_range = [0.0, 40.0]

[mutator.actuator]
kind = "file"
path = "wind.json"
key = ["speed"]
value = "{speed}"
`;

/** Runs a command as installed; gives what it printed. It must succeed, and say nothing else. */
function perturb(...args: readonly string[]): string {
  const { stdout, stderr } = succeed(program, args, home);
  // But for progress, on a slow machine.
  expect(stderr).toMatch(/^(?:perturb: \d+ of \d+\b.*\n)*$/);
  return stdout;
}

/** The installed server, once a command needs it: the same for all, until `serve mutators` ends it. */
let server: { readonly child: ChildProcess; readonly exit: Promise<unknown[]> } | undefined;
let url = '';
afterAll(() => void server?.child.kill('SIGKILL'));

async function serve(): Promise<void> {
  if (server !== undefined) return;
  writeFileSync(join(home, 'mutators.toml'), MANIFEST);
  writeFileSync(join(home, 'wind.json'), '{"speed": 0.0}\n');
  const args = ['serve', 'mutators', '--manifest', 'mutators.toml', '--port', '0'];
  const child = spawn(program, args, { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'close');
  server = { child, exit };
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  for (;;) {
    url = /^Serving .* at (\S+)\n(?:.*\n)*Ctrl-C /m.exec(said)?.[1] ?? '';
    if (url !== '') return;
    if ((child.exitCode ?? child.signalCode) !== null) throw new Error(said);
    await Promise.race([once(child.stderr, 'data'), exit]);
  }
}

const windIn = () => readFileSync(join(home, 'wind.json'), 'utf8');

/** One real run of each command; each goes on from where the one before left off. */
const RUNS: Readonly<Record<string, () => void | Promise<void>>> = {
  'objective new'() {
    expect(perturb('objective', 'new', 'Drone')).toBe('created drone.objective.toml\n');
  },
  'objective lint'() {
    expect(perturb('objective', 'lint')).toBe('no problems in 1 file\n');
  },
  'objective create'() {
    writeFileSync(join(home, 'wind.toml'), CLEAN);
    expect(perturb('objective', 'create', 'wind.toml', 'drone.objective.toml')).toContain('Wind');
  },
  'objective list'() {
    const { objectives } = JSON.parse(perturb('objective', 'list', '--format', 'json'));
    expect(objectives.map(({ name }: { name: string }) => name)).toEqual(['Drone', 'Wind']);
  },
  'objective show'() {
    expect(perturb('objective', 'show', 'Wind', '--format', 'toml')).toBe(CLEAN);
    const history = perturb('objective', 'show', 'Wind', '--history', '--format', 'json');
    expect(JSON.parse(history).revisions).toHaveLength(1);
  },
  'objective diff'() {
    expect(perturb('objective', 'diff', 'Wind', 'wind.toml')).toBe('no difference in meaning\n');
  },
  'objective export'() {
    perturb('objective', 'export', 'Wind', '--output', 'export.toml');
    expect(readFileSync(join(home, 'export.toml'), 'utf8')).toBe(CLEAN);
  },
  'objective delete'() {
    expect(perturb('objective', 'delete', 'Wind', '--yes')).toBe('deleted "Wind"\n');
    expect(perturb('objective', 'delete', 'Wind', '--undo')).toBe('restored "Wind"\n');
  },
  async 'objective run'() {
    await serve();
    const event = '{"probe":"A","name":"LANDED"}';
    writeFileSync(
      join(home, 'run.objective.toml'),
      `name = "Run"\n[[measurement]]\nname = "lands"\ncheck = "MATCH (name = 'LANDED') AS landed"\n[stopping_conditions]\nattempts = 2\n`,
    );
    const printed = perturb(
      ...['objective', 'run', 'run.objective.toml', '--server', url, '--out', 'run'],
      ...['--', 'sh', '-c', `echo '${event}' >> "$PERTURB_SESSION"`],
    );
    expect(printed).toContain('2: 2 passed, 0 failed, 0 skipped, 0 inconclusive');
    expect(windIn()).toBe('{"speed": 0.0}\n');
  },
  'runs list'() {
    expect(perturb('runs', 'list', '.')).toMatch(/^run +Run .* attempt limit reached$/m);
  },
  'runs show'() {
    expect(perturb('runs', 'show', 'run')).toContain('2: 2 passed, 0 failed');
  },
  'runs explain'() {
    expect(() => perturb('runs', 'explain', 'run')).toThrow('no attempt of run failed');
  },
  async 'runs replay'() {
    await serve();
    const options = ['--attempt', '1', '--out', 'again', '--server', url];
    expect(perturb('runs', 'replay', 'run', ...options)).toContain('1: 1 passed, 0 failed');
  },
  'runs compare'() {
    expect(perturb('runs', 'compare', 'run', 'again')).toMatch(
      /^A and B do not differ significantly\. /,
    );
  },
  'runs report'() {
    expect(perturb('runs', 'report', 'run')).toBe('wrote run/report.html\n');
  },
  'objective measure'() {
    writeFileSync(join(home, 'flight.jsonl'), '{"probe":"AUTOPILOT","name":"BEAT"}\n');
    const said = perturb('objective', 'measure', 'wind.toml', 'flight.jsonl');
    expect(said).toMatch(/\n1 passed in 1 session\n$/);
  },
  'expression check'() {
    const text = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0";
    expect(perturb('expression', 'check', text)).toBe('no problems in 1 expression\n');
  },
  'expression eval'() {
    const said = perturb('expression', 'eval', "MATCH (name = 'BEAT') AS beat", 'flight.jsonl');
    expect(said).toMatch(/^✓ holds\n/);
  },
  'session import'() {
    writeFileSync(join(home, 'clocks.log'), 'a {"a":1}\nsend\nb {"b":1, "a":1}\nreceive\n');
    perturb('session', 'import', 'clocks.log', '--out', 'clocks.session.jsonl');
    const written = readFileSync(join(home, 'clocks.session.jsonl'), 'utf8');
    expect(written).toContain('{"from":["a",1],"to":["b",1]}\n');
  },
  'session inspect'() {
    const page = perturb('session', 'inspect', 'clocks.session.jsonl');
    expect(page).toContain('1 of 1 pairs');
    expect(page).toContain('receive  b      1       seq\n');
  },
  async 'mutators list'() {
    await serve();
    expect(perturb('mutators', 'list', '--server', url)).toContain('wind');
  },
  async 'mutators inspect'() {
    await serve();
    expect(perturb('mutators', 'inspect', 'wind', '--server', url)).toContain('speed');
  },
  async 'mutators inject'() {
    await serve();
    perturb('mutators', 'inject', 'wind', '--param', 'speed=12.5', '--server', url);
    expect(windIn()).toBe('{"speed": 12.5}\n');
  },
  async 'mutators reset'() {
    await serve();
    perturb('mutators', 'reset', '--all', '--server', url);
    expect(windIn()).toBe('{"speed": 0.0}\n');
  },
  async 'mutators stop'() {
    await serve();
    perturb('mutators', 'inject', 'wind', '--param', 'speed=1', '--server', url);
    expect(perturb('mutators', 'stop', '--server', url)).toContain('reset 1; stopped at ');
    expect(windIn()).toBe('{"speed": 0.0}\n');
  },
  async 'serve mutators'() {
    await serve();
    server?.child.kill('SIGTERM');
    expect(await server?.exit).toEqual([0, null]);
  },
  'session compare'() {
    writeFileSync(join(home, 'a.session.jsonl'), '{"probe":"P","name":"GUST"}\n');
    writeFileSync(join(home, 'b.session.jsonl'), '{"probe":"P","name":"GALE"}\n');
    const words = ['session', 'compare', 'a.session.jsonl', '--', 'b.session.jsonl'];
    expect(perturb(...words)).toContain(
      'from the first event on: a.session.jsonl has GUST, and b.session.jsonl has GALE',
    );
  },
  'session load'() {
    writeFileSync(join(home, 'a.session.jsonl'), '{"probe":"P","name":"GUST"}\n');
    const engine = 'clickhouse:http://127.0.0.1:9/perturb';
    // There is no server; to say so, the client library was loaded.
    expect(() => perturb('session', 'load', 'a.session.jsonl', '--engine', engine)).toThrow(
      /cannot be reached \(ECONNREFUSED\)/,
    );
  },
  'mutators lint'() {
    expect(perturb('mutators', 'lint', 'mutators.toml')).toBe('no problems in 1 file\n');
  },
  'mutators new'() {
    const options = ['--file', 'service.json', '--key', 'wind.speed', '--range', '0..40'];
    const said = perturb('mutators', 'new', 'key', ...options, '--manifest', 'new.mutators.toml');
    expect(said).toBe('wrote new.mutators.toml: 1 mutator\n  wind-speed\n');
  },
  'rules list'() {
    expect(perturb('rules', 'list')).toContain('expression/unknown-label');
  },
  'rules explain'() {
    expect(perturb('rules', 'explain', 'toml/syntax')).toBe(
      readFileSync(join(home, 'node_modules/perturb/docs/rules/toml/syntax.md'), 'utf8'),
    );
  },
  'schema objective'() {
    const schema = JSON.parse(perturb('schema', 'objective'));
    const shipped = join(home, 'node_modules/perturb/grammar/objective.schema.json');
    expect(schema.properties).toEqual(JSON.parse(readFileSync(shipped, 'utf8')).properties);
  },
  'schema manifest'() {
    expect(JSON.parse(perturb('schema', 'manifest')).title).toBe('Perturb mutator manifest');
  },
  'schema results'() {
    expect(JSON.parse(perturb('schema', 'results')).title).toBe('Perturb results');
  },
  'schema api'() {
    expect(JSON.parse(perturb('schema', 'api')).openapi).toMatch(/^3\.1\./);
  },
  'objective fmt'() {
    const path = join(home, 'fmt.toml');
    writeFileSync(path, `name = "x"\n[[measurement]]\nname = "m"\ncheck = "match (a = 1) as b"\n`);
    succeed(program, ['objective', 'fmt', 'fmt.toml'], home);
    expect(readFileSync(path, 'utf8')).toContain('check = "MATCH (a = 1) AS b"');
  },
  async 'lsp serve'() {
    const child = spawn(program, ['lsp', '--stdio'], {
      cwd: home,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const client = new Client(child);
    const params = { processId: null, rootUri: null, capabilities: {} };
    const { serverInfo } = await client.request<{ serverInfo: object }>('initialize', params);
    expect(serverInfo).toEqual({ name: 'perturb', version: '0.1.0' });
    expect(await client.end()).toBe(0);
  },
  'doctor check'() {
    const { checks } = JSON.parse(perturb('doctor', '--format', 'json'));
    expect(checks.find(({ subject }: { subject: string }) => subject === 'store').state).toBe('ok');
  },
  'init project'() {
    const cwd = join(home, 'service');
    cpSync(join(home, 'node_modules/perturb/examples/service'), cwd, { recursive: true });
    const key = 'settings.json:warehouse.delay_ms=0..3000';
    // docs/getting-started.md runs the service itself, which waits for what it gives up.
    const event = '{"probe":"WAREHOUSE","name":"handled","attributes":{"id":1}}';
    const record = `echo '${event}' >> "$PERTURB_SESSION"`;
    const command = `${record}; grep -q '"delay_ms": 0' settings.json || ${record}`;
    const { stdout } = run(program, ['init', '--key', key, '--', 'sh', '-c', command], cwd);
    expect(stdout).toMatch(
      /^From \d+ ms of warehouse delay on, "handled at WAREHOUSE once for each id" fails; at worst, handled came twice for id 1, wanted once\.\nIt fails with warehouse-delay-ms value=/m,
    );
    expect(stdout).toMatch(
      /^warehouse-delay-ms value begins to fail (?:at 1|between 0 and \d+) \(97 %\)/m,
    );
  },
  'completion bash'() {
    expect(perturb('completion', 'bash')).toContain('complete -F _perturb perturb\n');
  },
  'completion zsh'() {
    expect(perturb('completion', 'zsh')).toMatch(/^#compdef perturb\n/);
  },
  'completion fish'() {
    expect(perturb('completion', 'fish')).toContain('complete -c perturb -f ');
  },
};

test('every command is run', () => {
  const names = commands.map(({ words }) => words.join(' '));
  expect(Object.keys(RUNS).sort()).toEqual(names.sort());
});

test.each(Object.entries(RUNS))('%s', (_name, work) => work());
