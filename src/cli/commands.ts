import type { ShellName } from './help/shells.js';
import type { CommandEntry, CommandGroup, CommandModule } from './runtime/command.js';

export const groups: Readonly<Record<string, CommandGroup>> = {
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
  mutators: {
    summary: 'list, inspect, inject and reset mutators; check manifests',
    example: 'perturb mutators list --server http://127.0.0.1:8080',
  },
  serve: {
    summary: 'serve mutators over HTTP',
    example: 'perturb serve mutators mutators.toml',
  },
  rules: {
    summary: 'what the linter checks; alone, it lists the rules',
    example: 'perturb rules explain expression/unknown-label',
    alone: 'list',
  },
  lsp: {
    summary: 'the language server, which an editor starts',
    example: 'perturb lsp --stdio',
    alone: 'serve',
  },
  schema: {
    summary: 'JSON Schemas for editors and other tools',
    example: 'perturb schema objective > objective.schema.json',
  },
  doctor: {
    summary: 'what is configured, where it comes from, and whether it works',
    example: 'perturb doctor',
    alone: 'check',
  },
  completion: {
    summary: 'scripts that complete command lines in a shell',
    example: 'perturb completion bash > ~/.local/share/bash-completion/completions/perturb',
  },
};

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    words: ['objective', 'lint'],
    summary: 'check objective files and the trace expressions in them',
    load: () => import('./objective/lint.js'),
  },
  {
    words: ['objective', 'fmt'],
    summary: 'lay out the trace expressions of objective files',
    load: () => import('./objective/fmt.js'),
  },
  {
    words: ['objective', 'new'],
    summary: 'write a commented objective to start from',
    load: () => import('./objective/new.js'),
  },
  {
    words: ['objective', 'measure'],
    summary: 'apply an objective to recorded sessions',
    load: () => import('./objective/measure.js'),
  },
  {
    words: ['objective', 'create'],
    summary: 'check objective files, then register them in the store',
    load: () => import('./objective/create.js'),
  },
  {
    words: ['objective', 'list'],
    summary: 'list the objectives of the store',
    load: () => import('./objective/list.js'),
  },
  {
    words: ['objective', 'log'],
    summary: 'list the revisions of an objective',
    load: () => import('./objective/log.js'),
  },
  {
    words: ['objective', 'show'],
    summary: 'show an objective of the store',
    load: () => import('./objective/show.js'),
  },
  {
    words: ['objective', 'diff'],
    summary: 'show what differs in meaning between two objectives',
    load: () => import('./objective/diff.js'),
  },
  {
    words: ['objective', 'export'],
    summary: 'write the file that an objective was registered from',
    load: () => import('./objective/export.js'),
  },
  {
    words: ['objective', 'delete'],
    summary: 'delete an objective from the store',
    load: () => import('./objective/delete.js'),
  },
  {
    words: ['objective', 'restore'],
    summary: 'bring a deleted objective back',
    load: () => import('./objective/restore.js'),
  },
  {
    words: ['objective', 'verify'],
    summary: 'check that nothing in the store is damaged',
    load: () => import('./objective/verify.js'),
  },
  {
    words: ['objective', 'run'],
    summary: 'carry out an objective on mutator servers',
    load: () => import('./objective/run/run.js'),
  },
  {
    words: ['expression', 'check'],
    summary: 'check a single trace expression',
    load: () => import('./expression/check.js'),
  },
  {
    words: ['expression', 'eval'],
    summary: 'evaluate one trace expression over a session',
    load: () => import('./expression/eval.js'),
  },
  {
    words: ['session', 'import'],
    summary: 'write a trace of any format as a session',
    load: () => import('./session/import.js'),
  },
  {
    words: ['session', 'inspect'],
    summary: 'show what is in a session: probes, attributes, order',
    load: () => import('./session/inspect.js'),
  },
  {
    words: ['session', 'validate'],
    summary: 'report what is broken in sessions',
    load: () => import('./session/validate.js'),
  },
  {
    words: ['session', 'load'],
    summary: 'load a session into a ClickHouse server',
    load: () => import('./session/load.js'),
  },
  {
    words: ['mutators', 'list'],
    summary: 'list the mutators of a server',
    load: () => import('./mutators/list.js'),
  },
  {
    words: ['mutators', 'inspect'],
    summary: 'show everything that a server says about a mutator',
    load: () => import('./mutators/inspect.js'),
  },
  {
    words: ['mutators', 'inject'],
    summary: 'inject a mutation into a mutator',
    load: () => import('./mutators/inject.js'),
  },
  {
    words: ['mutators', 'reset'],
    summary: 'reset a mutator, or all of them',
    load: () => import('./mutators/reset.js'),
  },
  {
    words: ['mutators', 'lint'],
    summary: 'check manifests of mutators',
    load: () => import('./mutators/lint.js'),
  },
  {
    words: ['serve', 'mutators'],
    summary: 'serve the mutators of a manifest to a reflector',
    load: () => import('./serve.js'),
  },
  {
    words: ['rules', 'list'],
    summary: 'list the rules',
    load: async () => (await import('./rules.js')).listRules,
  },
  {
    words: ['rules', 'explain'],
    summary: 'explain what a rule reports, why it matters and what to do',
    load: async () => (await import('./rules.js')).explainRule,
  },
  {
    words: ['lsp', 'serve'],
    summary: 'check files in an editor while you type',
    load: () => import('./lsp.js'),
  },
  {
    words: ['schema', 'objective'],
    summary: 'print the JSON Schema of objectives',
    load: async () => (await import('./schema.js')).objectiveSchemaCommand,
  },
  {
    words: ['schema', 'manifest'],
    summary: 'print the JSON Schema of manifests',
    load: async () => (await import('./schema.js')).manifestSchemaCommand,
  },
  {
    words: ['schema', 'api'],
    summary: 'print the OpenAPI document of the mutator API',
    load: async () => (await import('./schema.js')).apiSchemaCommand,
  },
  {
    words: ['doctor', 'check'],
    summary: 'show what is configured, and whether it can be used',
    load: () => import('./doctor.js'),
  },
  {
    words: ['completion', 'bash'],
    summary: 'print the completion script for bash',
    load: () => loadCompletion('bash'),
  },
  {
    words: ['completion', 'zsh'],
    summary: 'print the completion script for zsh',
    load: () => loadCompletion('zsh'),
  },
  {
    words: ['completion', 'fish'],
    summary: 'print the completion script for fish',
    load: () => loadCompletion('fish'),
  },
];

async function loadCompletion(shell: ShellName): Promise<CommandModule> {
  const { completion } = await import('./help/shells.js');
  return completion(shell);
}
