import { describe, expect, test } from 'vitest';
import { cursorIn } from './client.js';
import { ask, oneServer } from './open.js';

interface Item {
  readonly label: string;
  readonly documentation?: { readonly value: string };
  readonly textEdit: { readonly newText: string };
}

const open = oneServer();

async function completions(name: string, marked: string): Promise<readonly Item[]> {
  const { text, position } = cursorIn(marked);
  const { client, uri } = await open(text, name);
  return ask<Item[]>(client, 'completion', uri, { position });
}

async function hovered(name: string, marked: string): Promise<string | undefined> {
  const { text, position } = cursorIn(marked);
  const { client, uri } = await open(text, name);
  const hover = await ask<{ contents: { value: string } } | null>(client, 'hover', uri, {
    position,
  });
  return hover?.contents.value;
}

const labels = (items: readonly Item[]): string[] => items.map(({ label }) => label);
const texts = (items: readonly Item[]): string[] => items.map(({ textEdit }) => textEdit.newText);

const MUTATOR = `[[mutator]]
name = "wind"

[[mutator.param]]
name = "speed"
type = "float"

`;
const EXEC = `${MUTATOR}[mutator.actuator]\nkind = "exec"\n`;

describe('a manifest is completed:', () => {
  const complete = (marked: string) => completions('mutators.toml', marked);

  test('keys of a mutator that are not written yet, with what they are', async () => {
    const items = await complete('[[mutator]]\nname = "wind"\n|\n');
    expect(labels(items)).toEqual([
      ...['id', 'description', 'layer', 'group', 'operation', 'statefulness', 'safety', 'probe'],
      ...['tags', 'max_active', 'attributes', 'param', 'actuator', 'verify'],
    ]);
    expect(items[0]?.documentation?.value).toContain('Example: `"wind"`.');
    expect(texts(items).slice(-3, -1)).toEqual(['[[mutator.param]]', 'actuator = ']);
  });

  test('keys of the kind of actuator that there is', async () => {
    expect(labels(await complete(`${EXEC}|\n`))).toEqual([
      ...['inject', 'reset', 'timeout', 'cwd', 'env'],
    ]);
    const file = await complete(`${EXEC.replace('exec', 'file')}|\n`);
    expect(labels(file)).toEqual(['path', 'template', 'format', 'key', 'value', 'in_place']);
  });

  test('kinds of actuators, with what they do', async () => {
    const items = await complete(`${MUTATOR}[mutator.actuator]\nkind = "|"\n`);
    expect(labels(items)).toEqual(['exec', 'http', 'file', 'module']);
    expect(items[0]?.documentation?.value).toBe('Runs commands, without a shell.');
    expect(texts(items)[0]).toBe('"exec"');
  });

  test('types, booleans, defaults', async () => {
    expect(labels(await complete(MUTATOR.replace('"float"', '|')))).toEqual([
      ...['integer', 'float', 'boolean', 'string', 'enum'],
    ]);
    expect(labels(await complete(`${EXEC.replace('exec', 'file')}in_place = |\n`))).toEqual([
      ...['true', 'false'],
    ]);
    expect(texts(await complete(`${EXEC}timeout = |\n`))).toEqual(['"10s"']);
  });

  test('what stands within braces', async () => {
    const http = EXEC.replace('exec', 'http');
    expect(labels(await complete(`${http}inject = { url = "http://a", | }\n`))).toContain('method');
    expect(labels(await complete(`${http}inject = { method = "|" }\n`))).toContain('DELETE');
  });

  test('parameters in a placeholder', async () => {
    expect(texts(await complete(`${EXEC}inject = ["a", "--speed={|"]\n`))).toEqual(['speed}']);
    expect(texts(await complete(`${EXEC}inject = [\n  "a",\n  "{s|}",\n]\n`))).toEqual(['speed']);
  });
});

describe('perturb.toml is completed:', () => {
  const complete = (marked: string) => completions('perturb.toml', marked);

  test('tables and their keys', async () => {
    expect(labels(await complete('[|'))).toEqual([
      ...[
        'lint',
        'lint.rules',
        'language',
        'servers',
        'benches',
        'measure',
        'recorded',
        'reading',
        'run',
        'run.timing',
        'guard',
        'polls',
        'store',
      ],
    ]);
    expect(labels(await complete('[lint]\nexclude = []\n|'))).toEqual([
      ...['include', 'mutators', 'sessions', 'baseline', 'rules'],
    ]);
    expect(labels(await complete('[servers.bench]\n|'))).toEqual(['url', 'api_key_env']);
    for (const header of ['run.timing', 'run.timing.wind']) {
      expect(labels(await complete(`[${header}]\n|`))).toEqual(['onset', 'duration']);
    }
    expect(labels(await complete('[language]\nextensions = |'))).toEqual([
      ...['allow', 'warn', 'error'],
    ]);
  });

  test('rules, also behind a quote, and their levels', async () => {
    const bare = await complete('[lint.rules]\n|\n');
    expect(labels(bare)).toContain('expression/unknown-label');
    const typed = await complete('[lint.rules]\n"expression/unk|"\n');
    const unknown = typed.find(({ label }) => label === 'expression/unknown-label');
    expect(unknown?.textEdit).toEqual({
      newText: '"expression/unknown-label" = ',
      range: { start: { line: 1, character: 0 }, end: { line: 1, character: 16 } },
    });
    expect(texts(await complete('[lint.rules]\n"toml/syn|" = "off"\n'))).toContain('"toml/syntax"');
    const levels = await complete('[lint.rules]\n"toml/syntax" = "|"\n');
    expect(labels(levels)).toEqual(['off', 'warn', 'error']);
    expect(levels[0]?.documentation?.value).toBe('The rule is off.');
    expect(labels(await complete('[lint]\nrules."toml/syntax" = |'))).toEqual(labels(levels));
    expect(labels(await complete('lint.rules = { "toml/syntax" = "|" }'))).toEqual(labels(levels));
  });

  test('names of servers where they can stand', async () => {
    const servers = '[servers.bench]\nurl = "http://127.0.0.1:1"\n';
    expect(labels(await complete(`${servers}[run]\nservers = ["|"]\n`))).toEqual(['bench']);
    expect(labels(await complete(`${servers}[lint]\nmutators = [\n  "|",\n]\n`))).toEqual([
      ...['bench', 'mutators.toml'],
    ]);
  });
});

describe('hover tells', () => {
  test('what a key of a manifest is, by the kind of actuator', async () => {
    const exec = await hovered('mutators.toml', `${EXEC}in|ject = ["a"]\n`);
    expect(exec).toMatch(/^The inject command, and its arguments\./);
    const http = `${EXEC.replace('exec', 'http')}in|ject = { url = "http://a" }\n`;
    expect(await hovered('mutators.toml', http)).toBe('The inject request.\n\nRequired.');
    const kind = EXEC.replace('"exec"', '"ex|ec"');
    expect(await hovered('mutators.toml', kind)).toBe('Runs commands, without a shell.');
    const own = `${MUTATOR}[mutator.attri|butes]\nacme.owner = "x"\n`;
    expect(await hovered('mutators.toml', own)).toMatch(/^Custom attributes, below `mutator\.`/);
  });

  test('what a key of an objective is, with its default', async () => {
    const text = '[mutation_constraints]\nmax_concurrent_mutations| = 2\n';
    expect(await hovered('a.objective.toml', text)).toBe(
      'Maximum number of simultaneous mutations.\n\nDefault: `1`.',
    );
  });

  test('what a key, a rule and a server of perturb.toml are', async () => {
    expect(await hovered('perturb.toml', '[lint]\nexcl|ude = []\n')).toBe(
      'Globs of files and directories to skip, unless named on the command line.\n\nExample: `["objectives/drafts/**"]`.',
    );
    expect(await hovered('perturb.toml', '[lint.rules]\n"toml/syn|tax" = "warn"\n')).toMatch(
      /^\*\*toml\/syntax\*\* \(error\)\n\n/,
    );
    const servers = '[servers.bench]\nurl = "http://127.0.0.1:1"\n';
    expect(await hovered('perturb.toml', `${servers}[run]\nservers = ["be|nch"]\n`)).toBe(
      '`http://127.0.0.1:1`',
    );
  });
});

const STOP = ['attempts', 'time', 'passing_measurements', 'failing_measurements'];

test.each([
  ['perturb.toml', '[lint]\nmutators = [\n  "a.toml", # ours\n  |\n]\n', ['mutators.toml']],
  ['perturb.toml', '[lint]\nmutators = [\n  m|\n]\n', ['mutators.toml']],
  ['a.objective.toml', 'mutator = [\n  { | },\n]\n', ['name', 'probe', 'mutation_precondition']],
  [
    'a.objective.toml',
    '[[mutator]]\nname = "wind"\nparam_constraints = [\n  { name = "a", range = [0, 1] },\n  { | },\n]\n',
    ['name', 'range', 'enum_options'],
  ],
  [
    'a.objective.toml',
    '[[mutator]]\nname = "wind"\nparam_constraints = [\n  { name = "a", | },\n]\n',
    ['range', 'enum_options'],
  ],
  ['a.objective.toml', '[[measurement]]\nstopping_conditions.|\n', STOP.slice(2)],
  ['a.objective.toml', 'stopping_conditions.t|\n', STOP],
  ['a.objective.toml', 'x = [\n  1,\n]\nstopping_conditions = { | }\n', STOP],
])('what is offered in %s follows the brackets and dots of %j', async (name, marked, expected) => {
  expect(labels(await completions(name, marked)).slice(0, expected.length)).toEqual(expected);
});

test('the whole string of an array is replaced, whatever is in it', async () => {
  const marked = '[lint]\nmutators = ["a, b |c", "d"]\n';
  const [item] = await completions('perturb.toml', marked);
  expect(item?.textEdit).toEqual({
    newText: '"mutators.toml"',
    range: { start: { line: 1, character: 12 }, end: { line: 1, character: 20 } },
  });
});

describe('metadata of an objective', () => {
  const file = (comments: string) =>
    `# @suite = "nightly"\nname = "Wind"\n\n${comments}\n[[measurement]]\nname = "No crash"\ncheck = "MATCH (name = 'CRASH') AS crash AGGREGATE count() = 0"\n\n[stopping_conditions]\nattempts = 1\n`;

  test('is completed with the usual words and those of the file', async () => {
    const items = await completions('a.objective.toml', file('# @re|'));
    expect(texts(items)).toEqual([
      'requirement = ""',
      'description = ""',
      'author = ""',
      'suite = ""',
    ]);
    const begun = await completions('b.objective.toml', file('#@| = "REQ-7"'));
    expect(texts(begun)).toContain('requirement');
  });

  test('is explained by what it is about', async () => {
    const own = await hovered('a.objective.toml', file('# @requ|irement = "REQ-7"'));
    expect(own).toBe(
      '`requirement` of the measurement "No crash": shown in results, and selectable with `--only @requirement=REQ-7`',
    );
    const stray = await hovered('b.objective.toml', file('# @requ|irement = "REQ-7"\n'));
    expect(stray).toBeUndefined();
  });
});
