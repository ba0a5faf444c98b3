import type { CommandEntry, CommandGroup, TypedCommand } from './runtime/command.js';
import type { ArgumentOf, OptionOf } from './runtime/declare.js';

export const groups: Readonly<Record<string, CommandGroup>> = {
  init: {
    summary: 'create the first files for a system and inject a first fault',
    alone: 'project',
  },
  objective: {
    summary: 'write, check, store, run and measure objectives',
    example: 'perturb objective lint objectives/',
  },
  expression: {
    summary: 'check single trace expressions, and evaluate them over sessions',
    example: `perturb expression check "MATCH (name = 'CRASH') AS crash"`,
  },
  session: {
    summary: 'import, inspect, check and compare recorded sessions',
    example: 'perturb session import traces.json --out checkout.session.jsonl',
  },
  runs: {
    summary: 'list, show, explain, compare, repeat and report runs',
    example: 'perturb runs show runs/wind',
  },
  mutators: {
    summary: 'list, inspect, inject and reset mutators; check manifests',
    example: 'perturb mutators list --server http://127.0.0.1:8080',
  },
  serve: {
    summary: 'serve mutators over HTTP',
    example: 'perturb serve mutators mutators.toml',
  },
  rules: {
    summary: 'list and explain the lint rules',
    example: 'perturb rules explain expression/unknown-label',
    alone: 'list',
  },
  lsp: {
    summary: 'start the language server for an editor',
    alone: 'serve',
  },
  schema: {
    summary: 'print JSON Schemas for editors and other tools',
    example: 'perturb schema objective > objective.schema.json',
  },
  doctor: {
    summary: 'show the configuration with its sources, and check it',
    alone: 'check',
  },
  completion: {
    summary: 'print shell completion scripts',
    example: 'perturb completion bash > ~/.local/share/bash-completion/completions/perturb',
  },
};

const stored = () => import('./objective/stored.js');
const asking = () => import('./mutators/commands.js');
const manifests = () => import('./mutators/manifests.js');
const sessions = () => import('./session/commands.js');
const schemas = () => import('./schema.js');
const shells = () => import('./help/shells.js');

type Row = Pick<CommandEntry, 'summary' | 'load'>;

/**
 * Returns a row of the command table. The types ensure that `run` matches the declared arguments
 * and options.
 */
function row<Args extends readonly ArgumentOf[] = [], Options extends readonly OptionOf[] = []>(
  summary: string,
  load: () => Promise<TypedCommand<Args, Options>>,
): Row {
  return { summary, load };
}

/** The commands by task, in the order shown by `perturb --help`. */
const TASKS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'Get started:': {
    'init project': row(
      'create the first files for a system and inject a first fault',
      () => import('./init/init.js'),
    ),
    'doctor check': row(
      'show the configuration with its sources, and check it',
      () => import('./doctor.js'),
    ),
  },
  'Write and check objectives:': {
    'objective new': row('write a commented starter objective', () => import('./objective/new.js')),
    'objective lint': row(
      'check objective files and their trace expressions',
      () => import('./objective/lint.js'),
    ),
    'objective fmt': row(
      'format the trace expressions of objective files',
      () => import('./objective/fmt.js'),
    ),
    'expression check': row(
      'check a single trace expression',
      () => import('./expression/check.js'),
    ),
    'rules list': row('list the lint rules', async () => (await import('./rules.js')).listRules),
    'rules explain': row(
      'explain a rule and how to fix its findings',
      async () => (await import('./rules.js')).explainRule,
    ),
  },
  'Register objectives:': {
    'objective create': row(
      'check objective files, then register them in the store',
      () => import('./objective/create.js'),
    ),
    'objective list': row(
      'list the objectives in the store',
      async () => (await stored()).listObjectives,
    ),
    'objective show': row(
      'show an objective in the store, or its revisions',
      async () => (await stored()).showObjective,
    ),
    'objective diff': row(
      'show the differences in meaning between two objectives',
      () => import('./objective/diff.js'),
    ),
    'objective export': row(
      "write an objective's file as registered",
      async () => (await stored()).exportObjective,
    ),
    'objective delete': row(
      'delete an objective from the store, or restore it',
      async () => (await stored()).deleteObjective,
    ),
  },
  'Serve mutators:': {
    'serve mutators': row('serve the mutators of a manifest over HTTP', () => import('./serve.js')),
    'mutators new': row(
      'add ready-made mutators to a manifest',
      async () => (await manifests()).newMutators,
    ),
    'mutators lint': row('check mutator manifests', async () => (await manifests()).lintManifests),
    'mutators list': row("list a server's mutators", async () => (await asking()).listMutators),
    'mutators inspect': row(
      "show a mutator's description, parameters and status",
      async () => (await asking()).inspectMutator,
    ),
    'mutators inject': row('inject a mutation', () => import('./mutators/inject.js')),
    'mutators reset': row(
      'reset a mutator, or all mutators',
      async () => (await asking()).resetMutators,
    ),
    'mutators stop': row(
      'reset all mutators and refuse mutations until released',
      async () => (await asking()).stopMutators,
    ),
  },
  'Run experiments:': {
    'objective run': row(
      'run an objective against mutator servers',
      () => import('./objective/run/run.js'),
    ),
    'runs list': row('list the runs in a directory', () => import('./runs/list.js')),
    'runs show': row('show the results of a run or an attempt', () => import('./runs/show.js')),
    'runs explain': row(
      'explain why an attempt failed and others passed',
      () => import('./runs/explain.js'),
    ),
    'runs compare': row(
      'compare two runs and report regressions',
      () => import('./runs/compare.js'),
    ),
    'runs replay': row('repeat an attempt of a run', () => import('./runs/replay.js')),
    'runs report': row(
      "write a run's report",
      async () => (await import('./runs/show.js')).reportRun,
    ),
  },
  'Evaluate recorded sessions:': {
    'objective measure': row(
      "evaluate an objective's measurements on recorded sessions",
      () => import('./objective/measure.js'),
    ),
    'expression eval': row(
      'evaluate one trace expression on a session',
      () => import('./expression/eval.js'),
    ),
    'session import': row(
      'convert traces and logs from other tools to a session',
      async () => (await sessions()).importSession,
    ),
    'session inspect': row(
      'check sessions, and show their events, attributes and order',
      () => import('./session/inspect.js'),
    ),
    'session compare': row(
      'compare failing sessions with passing ones',
      () => import('./session/compare.js'),
    ),
    'session load': row(
      'load a session into a ClickHouse server',
      async () => (await sessions()).loadIntoServer,
    ),
  },
  'Set up editors and shells:': {
    'lsp serve': row('start the language server', async () => (await schemas()).languageServer),
    'schema objective': row(
      'print the JSON Schema of objectives',
      async () => (await schemas()).objectiveSchemaCommand,
    ),
    'schema manifest': row(
      'print the JSON Schema of manifests',
      async () => (await schemas()).manifestSchemaCommand,
    ),
    'schema results': row(
      'print the JSON Schema of results in the json format',
      async () => (await schemas()).resultsSchemaCommand,
    ),
    'schema api': row(
      'print the OpenAPI document of the mutator API',
      async () => (await schemas()).apiSchemaCommand,
    ),
    'completion bash': row('print the completion script for bash', async () =>
      (await shells()).completionCommand('bash'),
    ),
    'completion zsh': row('print the completion script for zsh', async () =>
      (await shells()).completionCommand('zsh'),
    ),
    'completion fish': row('print the completion script for fish', async () =>
      (await shells()).completionCommand('fish'),
    ),
  },
};

export const commands: readonly CommandEntry[] = Object.entries(TASKS).flatMap(([task, rows]) =>
  Object.entries(rows).map(([name, row]) => ({
    ...row,
    task,
    words: name.split(' ') as [group: string, name: string],
  })),
);
