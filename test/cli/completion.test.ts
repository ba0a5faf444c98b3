import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { commands, groups } from '../../src/cli/commands.js';
import { valueOfArgument, valueOfOption } from '../../src/cli/complete.js';
import { joinBashWords } from '../../src/cli/help/shells.js';
import { configure } from '../../src/cli/runtime/command.js';
import { directoryWith, perturb, perturbProcess } from './program.js';
import { type Complete, completeInFish, isInstalled, startShell } from './shells.js';

const shells = ['bash', 'zsh', 'fish'] as const;

test.each([
  [['objective', 'li'], ['objective', 'li'], ''],
  [['lint', '--format', '=', 'che'], ['lint', '--format=che'], '--format='],
  [['lint', '--format', '='], ['lint', '--format='], '--format='],
  [['--server', 'http', ':', '//lab'], ['--server', 'http://lab'], 'http:'],
  [[''], [''], ''],
])('bash breaks words: %j', (broken, words, kept) => {
  expect(joinBashWords(broken)).toEqual({ words, kept });
});

test('what nobody asks for completes to nothing', async () => {
  for (const words of [['nothing', 'li'], ['completion', 'bash', ''], []]) {
    const { code, stdout } = await perturb(['complete', 'fish', '--', ...words]);
    expect([code, stdout.split('\n')[0]?.split('\t')[0]]).toEqual([
      0,
      words.length === 0 ? 'init' : '',
    ]);
  }
});

test('benches and servers complete to those in perturb.toml', async () => {
  const servers = 'servers = ["one"]';
  const cwd = directoryWith({
    'perturb.toml': `[servers.one]\nurl = "http://127.0.0.1:1"\n[benches.lab]\n${servers}\n[benches.land]\n${servers}\n`,
    'deep/perturb.toml': 'broken',
  });
  const completed = async (...words: readonly string[]) => {
    const line = ['complete', 'fish', '--', 'objective', 'run', 'x.toml', ...words];
    return (await perturbProcess(line, { cwd })).stdout;
  };
  expect(await completed('--bench', '')).toBe('lab\nland\nall\n');
  expect(await completed('--bench', 'lab', '--bench=lan')).toBe('--bench=land\n');
  expect(await completed('--server', '')).toBe('one\n');
  const { stdout } = await perturbProcess(
    ['complete', 'fish', '--', 'mutators', 'list', '-s', ''],
    { cwd: join(cwd, 'deep') },
  );
  expect(stdout).toBe('');
});

type Line = readonly [line: string, ...completions: string[]];

const catalog = (names: string) => names.split(' ').map((name) => `catalog/unknown-${name}`);

/** What the last word of a line may become, of what is asked for whichever shell. */
const WORDS: readonly Line[] = [
  ['perturb ', ...[...Object.keys(groups), 'help'].sort()],
  ['perturb objective e', 'export'],
  ['perturb --no-color rules e', 'explain'],
  ['perturb help mu', 'mutators'],
  ['perturb ob', 'objective'],
  ['perturb objective lint --fix', '--fix', '--fix-dry-run'],
  ['perturb objective lint -- ', ':files'],
  ['perturb help completion ', 'bash', 'fish', 'zsh'],
  ['perturb --no', '--no-color'],
  ['perturb rules --for', '--format'],
  ['perturb rules --format ', 'json', 'pretty'],
  ['perturb doctor -f p', 'pretty'],
  ['perturb objective lint -q --max', '--max-findings', '--max-warnings'],
  ['perturb objective lint -f c', 'checkstyle', 'compact'],
  ['perturb objective lint --format c', 'checkstyle', 'compact'],
  ['perturb objective lint --timeout 3s --max', '--max-findings', '--max-warnings'],
  ['perturb objective show -f ', 'json', 'pretty', 'toml'],
  ['perturb serve mutators --log-level w', 'warn'],
  ['perturb objective lint --only catalog/unknown-', ...catalog('mutator option param probe tag')],
  ['perturb objective lint a.toml --skip=manifest/'],
  ['perturb objective lint --skip recorded/*', 'recorded/*'],
  ['perturb rules explain config/no', 'config/no-match'],
  ['perturb objective new x --question 2', ...'2 20 21 22 23 24 25 26 27 28 29'.split(' ')],
  ['perturb objective list --store ', 'postgres://', 'sqlite:'],
  ['perturb session load --engine ', 'clickhouse:'],
  ['perturb objective measure ', ':files'],
  ['perturb objective measure -f json a.toml --budget 5 ', ':files'],
  ['perturb objective run a.toml -- ', ':files'],
  ['perturb objective run --events o', 'otlp', ':files'],
  ['perturb runs report runs/1 ', ':files'],
  ['perturb runs report runs/1 a.html '],
  ['perturb runs compare runs/1 runs/2 --fail-on ', 'difference', 'regression'],
  ['perturb objective show '],
  ['perturb mutators new key '],
  ['perturb mutators new container --engine ', 'docker', 'podman'],
  ['perturb schema ', 'api', 'manifest', 'objective', 'results'],
];

/** What it may become in each shell, where `FILES` lie: one word, several, none, `=`, and files. */
const LINES: readonly Line[] = [
  ['perturb help mutators in', 'inject', 'inspect'],
  ['perturb objective lint --format=che', '--format=checkstyle'],
  ['perturb objective lint --timeout '],
  [
    'perturb rules explain expression/unk',
    'expression/unknown-function',
    'expression/unknown-label',
  ],
  ['perturb objective lint wi', 'wind two.toml', 'wind.toml'],
  ['perturb objective lint wind.toml st', 'state', 'state.txt'],
  ['perturb objective lint --config=pertu', '--config=perturb.toml'],
  ['perturb objective lint --format sarif=out', 'sarif=out.sarif'],
  ['perturb serve mutators --state-dir st', 'state'],
];

/** The shells in turn: what they are told differs in form only, which their own tests look at. */
const ASKED = WORDS.map(
  ([line, ...expected], at) => [shells[at % 3] ?? 'fish', line, expected] as const,
);

test.each(ASKED)('%s asks for it: %s', async (shell, line, expected) => {
  const [, ...words] = line.split(' ');
  const { stdout } = await perturb(['complete', shell, '--', ...words]);
  const lines = stdout.split('\n').filter((one) => one !== '');
  expect(lines.map((one) => one.split('\t')[0]).sort()).toEqual([...expected].sort());
});

const FILES = {
  'wind.toml': '',
  'wind two.toml': '',
  'out.sarif': '',
  'state.txt': '',
  'state/lock': '',
};

async function prepare(shell: (typeof shells)[number]): Promise<string> {
  const { stdout } = await perturb(['completion', shell]);
  return directoryWith({ ...FILES, 'perturb.toml': '', [`completion.${shell}`]: stdout });
}

async function completions(complete: Complete): Promise<readonly (readonly string[])[]> {
  const told = [];
  for (const [line] of LINES) told.push([line, ...(await complete(line))]);
  return told;
}

test.skipIf(!isInstalled('script'))('bash completes', async () => {
  const complete = startShell('bash', await prepare('bash'));
  expect(await completions(complete)).toEqual(LINES);
});

test.skipIf(!isInstalled('script') || !isInstalled('zsh'))('zsh completes', async () => {
  const complete = startShell('zsh', await prepare('zsh'));
  expect(await completions(complete)).toEqual(LINES);
});

test.skipIf(!isInstalled('fish'))('fish completes', async () => {
  expect(await completions(completeInFish(await prepare('fish')))).toEqual(LINES);
});

test('every value is known to be a path, one of some words, or free', async () => {
  const values = [];
  for (const { load } of commands) {
    const command = new Command();
    configure(command, await load());
    values.push(...(await Promise.all(command.registeredArguments.map(valueOfArgument))));
    const valued = command.options.filter(({ required, optional }) => required || optional);
    values.push(...(await Promise.all(valued.map(valueOfOption))));
  }
  const free = values.filter(({ words, paths }) => words.length === 0 && paths === undefined);
  // A new name is added here, or to the paths of complete.ts.
  expect([...new Set(free.map(({ name }) => name))].sort()).toEqual(
    (
      'address attributes clock duration file:key=values host interface key=value keys label mode mutator n name network number pid place poll port prefix ' +
      'probe range ready regex selector server service tag unit url uuid values zone'
    ).split(' '),
  );
});
