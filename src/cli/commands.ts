import type { CommandEntry, CommandGroup } from './runtime/command.js';

export const groups: Readonly<Record<string, CommandGroup>> = {
  init: {
    summary: 'write the first files for a system, and inject a first fault',
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
    summary: 'import, inspect and check recorded sessions',
    example: 'perturb session import traces.json --out checkout.session.jsonl',
  },
  runs: {
    summary: 'list, show, repeat and report runs',
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
    summary: 'show the configuration, its sources, and whether it works',
    alone: 'check',
  },
  completion: {
    summary: 'print completion scripts for shells',
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

/** Every command, under the task that a user has. `perturb --help` lists them in this order. */
const TASKS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'Get started:': {
    'init project': {
      summary: 'write the first files for a system, and try a first fault',
      load: () => import('./init.js'),
    },
    'doctor check': {
      summary: 'show the configuration, its sources, and whether it works',
      load: () => import('./doctor.js'),
    },
  },
  'Write and check objectives:': {
    'objective new': {
      summary: 'write a commented objective to start from',
      load: () => import('./objective/new.js'),
    },
    'objective lint': {
      summary: 'check objective files and their trace expressions',
      load: () => import('./objective/lint.js'),
    },
    'objective fmt': {
      summary: 'format the trace expressions of objective files',
      load: () => import('./objective/fmt.js'),
    },
    'expression check': {
      summary: 'check a single trace expression',
      load: () => import('./expression/check.js'),
    },
    'rules list': {
      summary: 'list the lint rules',
      load: async () => (await import('./rules.js')).listRules,
    },
    'rules explain': {
      summary: 'explain a rule: what it reports, why it matters, what to do',
      load: async () => (await import('./rules.js')).explainRule,
    },
  },
  'Register objectives:': {
    'objective create': {
      summary: 'check objective files, then register them in the store',
      load: () => import('./objective/create.js'),
    },
    'objective list': {
      summary: 'list the objectives in the store',
      load: async () => (await stored()).listObjectives,
    },
    'objective show': {
      summary: 'show an objective in the store, or its revisions',
      load: async () => (await stored()).showObjective,
    },
    'objective diff': {
      summary: 'show the differences in meaning between two objectives',
      load: () => import('./objective/diff.js'),
    },
    'objective export': {
      summary: 'write the file that an objective was registered from',
      load: async () => (await stored()).exportObjective,
    },
    'objective delete': {
      summary: 'delete an objective from the store, or bring it back',
      load: async () => (await stored()).deleteObjective,
    },
  },
  'Serve mutators:': {
    'serve mutators': {
      summary: 'serve the mutators of a manifest over HTTP',
      load: () => import('./serve.js'),
    },
    'mutators new': {
      summary: 'add ready-made mutators to a manifest',
      load: async () => (await manifests()).newMutators,
    },
    'mutators lint': {
      summary: 'check manifests of mutators',
      load: async () => (await manifests()).lintManifests,
    },
    'mutators list': {
      summary: "list a server's mutators",
      load: async () => (await asking()).listOfMutators,
    },
    'mutators inspect': {
      summary: "show a mutator's description, parameters and status",
      load: async () => (await asking()).inspectMutator,
    },
    'mutators inject': {
      summary: 'inject a mutation',
      load: () => import('./mutators/inject.js'),
    },
    'mutators reset': {
      summary: 'reset a mutator, or all mutators',
      load: async () => (await asking()).resetMutators,
    },
    'mutators stop': {
      summary: 'reset all mutators and refuse mutations until released',
      load: async () => (await asking()).stopMutators,
    },
  },
  'Run experiments:': {
    'objective run': {
      summary: 'run an objective against mutator servers',
      load: () => import('./objective/run/run.js'),
    },
    'runs list': {
      summary: 'list the runs in a directory',
      load: () => import('./runs/list.js'),
    },
    'runs show': {
      summary: 'show the results of a run or an attempt',
      load: () => import('./runs/show.js'),
    },
    'runs replay': {
      summary: 'repeat an attempt of a run',
      load: () => import('./runs/replay.js'),
    },
    'runs report': {
      summary: "write a run's report",
      load: async () => (await import('./runs/show.js')).reportRun,
    },
  },
  'Evaluate recorded sessions:': {
    'objective measure': {
      summary: "evaluate an objective's measurements on recorded sessions",
      load: () => import('./objective/measure.js'),
    },
    'expression eval': {
      summary: 'evaluate one trace expression on a session',
      load: () => import('./expression/eval.js'),
    },
    'session import': {
      summary: 'convert traces and logs from other tools to a session',
      load: async () => (await sessions()).importSession,
    },
    'session inspect': {
      summary: 'check sessions, and show their events, attributes and order',
      load: () => import('./session/inspect.js'),
    },
    'session load': {
      summary: 'load a session into a ClickHouse server',
      load: async () => (await sessions()).loadIntoServer,
    },
  },
  'Set up editors and shells:': {
    'lsp serve': {
      summary: 'start the language server',
      load: async () => (await schemas()).languageServer,
    },
    'schema objective': {
      summary: 'print the JSON Schema of objectives',
      load: async () => (await schemas()).objectiveSchemaCommand,
    },
    'schema manifest': {
      summary: 'print the JSON Schema of manifests',
      load: async () => (await schemas()).manifestSchemaCommand,
    },
    'schema results': {
      summary: 'print the JSON Schema of results in the json format',
      load: async () => (await schemas()).resultsSchemaCommand,
    },
    'schema api': {
      summary: 'print the OpenAPI document of the mutator API',
      load: async () => (await schemas()).apiSchemaCommand,
    },
    'completion bash': {
      summary: 'print the completion script for bash',
      load: async () => (await shells()).completionCommand('bash'),
    },
    'completion zsh': {
      summary: 'print the completion script for zsh',
      load: async () => (await shells()).completionCommand('zsh'),
    },
    'completion fish': {
      summary: 'print the completion script for fish',
      load: async () => (await shells()).completionCommand('fish'),
    },
  },
};

export const commands: readonly CommandEntry[] = Object.entries(TASKS).flatMap(([task, rows]) =>
  Object.entries(rows).map(([name, row]) => ({
    ...row,
    task,
    words: name.split(' ') as [group: string, name: string],
  })),
);
