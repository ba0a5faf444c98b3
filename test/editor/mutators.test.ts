import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { type Client, cursorIn, type Range, startClient } from './client.js';
import { ask, TAIL, textIn } from './open.js';

interface Location {
  readonly uri: string;
  readonly range: Range;
}

const MANIFEST = `# 😀
[[mutator]]
name = "gale"
probe = "GAZEBO"
[[mutator.param]]
name = "speed"
type = "float"
[mutator.actuator]
kind = "exec"
inject = ["true", "{speed}"]
reset = ["true"]

[[mutator]]
id = "gale-2"
name = "gale"
probe = "BENCH"
[mutator.actuator]
kind = "exec"
inject = ["true"]
reset = ["true"]
`;

const OBJECTIVE = `name = "x"

[[mutator]]
name = "gale"
probe = "GAZEBO"
[[mutator.param_constraints]]
name = "speed"
range = [1.0, 2.0]

[[measurement]]
name = "m"
check = "MATCH (name = 'A') AS a"
${TAIL}`;

async function open(objective: string) {
  const directory = directoryWith({
    'perturb.toml': '[lint]\nmutators = ["bench/mutators.toml"]\n',
    'bench/mutators.toml': MANIFEST,
    'b.objective.toml': OBJECTIVE,
  });
  const client = await startClient(directory);
  const uriOf = (name: string): string => pathToFileURL(join(directory, name)).href;
  client.open(uriOf('a.objective.toml'), objective);
  return { client, uriOf };
}

async function places(client: Client, method: string, uri: string, params: object) {
  return ask<Location[]>(client, method, uri, params);
}

const lineOf = (text: string, part: string, from = 0): number =>
  text.slice(0, text.indexOf(part, from)).split('\n').length - 1;

/** The catalog loads in the background. */
const PATIENT = { timeout: 50_000 };

test('a mutator and a parameter lead to the manifest that declares them', async () => {
  const { text, position } = cursorIn(OBJECTIVE.replace('"gale"', '"ga|le"'));
  const { client, uriOf } = await open(text);
  const uri = uriOf('a.objective.toml');
  const define = (at: object) => places(client, 'definition', uri, { position: at });
  await expect.poll(async () => (await define(position)).length, PATIENT).toBe(1);
  const [mutator] = await define(position);
  expect(mutator?.uri).toBe(uriOf('bench/mutators.toml'));
  expect(textIn(MANIFEST, mutator?.range as Range)).toBe('"gale"');
  expect(mutator?.range.start.line).toBe(lineOf(MANIFEST, 'name = "gale"'));
  const [parameter] = await define({ line: lineOf(text, 'name = "speed"'), character: 9 });
  expect(textIn(MANIFEST, parameter?.range as Range)).toBe('"speed"');
  // Without a probe it is any of that name.
  client.change(uri, 2, text.replace('probe = "GAZEBO"', ''));
  expect((await define(position)).map(({ range }) => range.start.line)).toEqual([
    lineOf(MANIFEST, 'name = "gale"'),
    lineOf(MANIFEST, 'name = "gale"', MANIFEST.indexOf('gale-2')),
  ]);
});

test('what a manifest declares leads to the open objectives that name it', async () => {
  const { client, uriOf } = await open(OBJECTIVE);
  const [objective, other, manifest] = [
    ...['a.objective.toml', 'b.objective.toml', 'bench/mutators.toml'].map(uriOf),
  ] as [string, string, string];
  client.open(other, readFileSync(new URL(other), 'utf8').replace('GAZEBO', 'BENCH'));
  client.open(manifest, MANIFEST);
  const refer = (uri: string, line: number, includeDeclaration: boolean) =>
    places(client, 'references', uri, {
      position: { line, character: 9 },
      context: { includeDeclaration },
    });
  const declared = lineOf(MANIFEST, 'name = "gale"');
  const used = lineOf(OBJECTIVE, 'name = "gale"');
  expect(
    (await refer(manifest, declared, true)).map(({ uri, range }) => [uri, range.start.line]),
  ).toEqual([
    [manifest, declared],
    [objective, used],
  ]);
  expect((await refer(manifest, declared, false)).map(({ uri }) => uri)).toEqual([objective]);
  const parameter = await refer(manifest, lineOf(MANIFEST, 'name = "speed"'), false);
  expect(parameter.map(({ uri, range }) => [uri, textIn(OBJECTIVE, range)])).toEqual([
    [objective, '"speed"'],
  ]);
});

test('hover tells of a mutator and its parameters what the manifest says', async () => {
  const { text, position } = cursorIn(OBJECTIVE.replace('"gale"', '"ga|le"'));
  const { client, uriOf } = await open(text);
  const uri = uriOf('a.objective.toml');
  const hover = async (at: object) =>
    (await ask<{ contents: { value: string } } | null>(client, 'hover', uri, { position: at }))
      ?.contents.value;
  await expect.poll(() => hover(position), PATIENT).toBe('**gale** at GAZEBO\n\n- `speed`: float');
  expect(await hover({ line: lineOf(text, 'name = "speed"'), character: 9 })).toBe(
    '`speed`: float',
  );
});
