import type { CommandEntry, CommandGroup, CommandModule } from './runtime/command.js';

export const groups: Readonly<Record<string, CommandGroup>> = {
  init: {
    summary: 'write the first files for a system, and make the first fault',
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
    summary: 'list, show, repeat and report the runs that are kept',
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
    summary: 'what the linter checks; by itself, it lists the rules',
    example: 'perturb rules explain expression/unknown-label',
    alone: 'list',
  },
  lsp: {
    summary: 'the language server, which an editor starts',
    alone: 'serve',
  },
  schema: {
    summary: 'JSON Schemas for editors and other tools',
    example: 'perturb schema objective > objective.schema.json',
  },
  doctor: {
    summary: 'what is configured, where it comes from, and whether it works',
    alone: 'check',
  },
  completion: {
    summary: 'scripts that complete command lines in a shell',
    example: 'perturb completion bash > ~/.local/share/bash-completion/completions/perturb',
  },
};

const SUMMARIES = {
  'init project': 'write the first files for a system, and make the first fault',
  'objective lint': 'check objective files and the trace expressions in them',
  'objective fmt': 'lay out the trace expressions of objective files',
  'objective new': 'write a commented objective to start from',
  'objective measure': 'apply an objective to recorded sessions',
  'objective create': 'check objective files, then register them in the store',
  'objective list': 'list the objectives of the store',
  'objective log': 'list the revisions of an objective',
  'objective show': 'show an objective of the store',
  'objective diff': 'show what differs in meaning between two objectives',
  'objective export': 'write the file that an objective was registered from',
  'objective delete': 'delete an objective from the store',
  'objective restore': 'bring a deleted objective back',
  'objective verify': 'check that nothing in the store is damaged',
  'objective run': 'carry out an objective on mutator servers',
  'runs list': 'list the runs that are kept in a directory',
  'runs show': 'show the results of a run, or of one of its attempts',
  'runs replay': 'repeat an attempt of a run',
  'runs report': 'write the report of a run',
  'expression check': 'check a single trace expression',
  'expression eval': 'evaluate one trace expression over a session',
  'session import': 'write traces and logs from other tools as a session',
  'session inspect': 'show what is in a session: probes, attributes, order',
  'session vocabulary': 'show which names, attributes and texts sessions hold',
  'session validate': 'report what is broken in sessions',
  'session load': 'load a session into a ClickHouse server',
  'mutators list': 'list the mutators of a server',
  'mutators inspect': 'show everything that a server says about a mutator',
  'mutators inject': 'inject a mutation into a mutator',
  'mutators reset': 'reset a mutator, or all of them',
  'mutators stop': 'reset everything, and admit no mutation until released',
  'mutators lint': 'check manifests of mutators',
  'mutators new': 'add ready-made mutators to a manifest',
  'serve mutators': 'serve the mutators of a manifest to a reflector',
  'rules list': 'list the rules',
  'rules explain': 'explain what a rule reports, why it matters and what to do',
  'lsp serve': 'check files in an editor while you type',
  'schema objective': 'print the JSON Schema of objectives',
  'schema manifest': 'print the JSON Schema of manifests',
  'schema results': 'print the JSON Schema of results in the json format',
  'schema api': 'print the OpenAPI document of the mutator API',
  'doctor check': 'show what is configured, and whether it can be used',
  'completion bash': 'print the completion script for bash',
  'completion zsh': 'print the completion script for zsh',
  'completion fish': 'print the completion script for fish',
};

const stored = () => import('./objective/stored.js');
const asking = () => import('./mutators/commands.js');
const manifests = () => import('./mutators/manifests.js');
const sessions = () => import('./session/commands.js');
const shells = () => import('./help/shells.js');

const LOADERS: Readonly<Record<keyof typeof SUMMARIES, () => Promise<CommandModule>>> = {
  'init project': () => import('./init.js'),
  'objective lint': () => import('./objective/lint.js'),
  'objective fmt': () => import('./objective/fmt.js'),
  'objective new': () => import('./objective/new.js'),
  'objective measure': () => import('./objective/measure.js'),
  'objective create': () => import('./objective/create.js'),
  'objective list': async () => (await stored()).listObjectives,
  'objective log': async () => (await stored()).logObjective,
  'objective show': async () => (await stored()).showObjective,
  'objective diff': () => import('./objective/diff.js'),
  'objective export': async () => (await stored()).exportObjective,
  'objective delete': async () => (await stored()).deleteObjective,
  'objective restore': async () => (await stored()).restoreObjective,
  'objective verify': async () => (await stored()).verifyStore,
  'objective run': () => import('./objective/run/run.js'),
  'runs list': () => import('./runs/list.js'),
  'runs show': () => import('./runs/show.js'),
  'runs replay': () => import('./runs/replay.js'),
  'runs report': async () => (await import('./runs/show.js')).reportRun,
  'expression check': () => import('./expression/check.js'),
  'expression eval': () => import('./expression/eval.js'),
  'session import': async () => (await sessions()).importSession,
  'session inspect': () => import('./session/inspect.js'),
  'session vocabulary': async () => (await import('./session/inspect.js')).showVocabulary,
  'session validate': async () => (await sessions()).validateSessions,
  'session load': async () => (await sessions()).loadIntoServer,
  'mutators list': async () => (await asking()).listOfMutators,
  'mutators inspect': async () => (await asking()).inspectMutator,
  'mutators inject': () => import('./mutators/inject.js'),
  'mutators reset': async () => (await asking()).resetMutators,
  'mutators stop': async () => (await asking()).stopMutators,
  'mutators lint': async () => (await manifests()).lintManifests,
  'mutators new': async () => (await manifests()).newMutators,
  'serve mutators': () => import('./serve.js'),
  'rules list': async () => (await import('./rules.js')).listRules,
  'rules explain': async () => (await import('./rules.js')).explainRule,
  'lsp serve': async () => (await import('./schema.js')).languageServer,
  'schema objective': async () => (await import('./schema.js')).objectiveSchemaCommand,
  'schema manifest': async () => (await import('./schema.js')).manifestSchemaCommand,
  'schema results': async () => (await import('./schema.js')).resultsSchemaCommand,
  'schema api': async () => (await import('./schema.js')).apiSchemaCommand,
  'doctor check': () => import('./doctor.js'),
  'completion bash': async () => (await shells()).completionCommand('bash'),
  'completion zsh': async () => (await shells()).completionCommand('zsh'),
  'completion fish': async () => (await shells()).completionCommand('fish'),
};

export const commands: readonly CommandEntry[] = Object.entries(SUMMARIES).map(
  ([name, summary]) => ({
    words: name.split(' ') as [group: string, name: string],
    summary,
    load: LOADERS[name as keyof typeof SUMMARIES],
  }),
);
