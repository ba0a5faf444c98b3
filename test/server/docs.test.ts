import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { directoryWith, perturb } from '../cli/program.js';
import { blocksOf } from '../docs/documents.js';
import { startServer } from './programs/server-program.js';

test('docs/mutators.md describes every flag of the server, and no other', async () => {
  const { stdout } = await perturb(['serve', 'mutators', '--help']);
  const flagsIn = (text: string) => new Set(text.match(/(?<![\w-])--[a-z][a-z-]+/g));
  const flags = flagsIn(stdout);
  // Those that every command has.
  for (const flag of ['--help', '--color', '--no-color', '--debug', '--version'])
    flags.delete(flag);
  const told = flagsIn(readFileSync('docs/mutators.md', 'utf8'));
  // Of the reflector, of perturb mutators lint and reset, and of the tool that a manifest calls.
  const others = ['--mutator', '--fix', '--suggested', '--forget', '--signal'];
  for (const flag of others) told.delete(flag);
  expect([...told].sort()).toEqual([...flags].sort());
});

test('the service of docs/mutators.md is served by its name', async () => {
  const text = readFileSync('docs/mutators.md', 'utf8');
  const block = blocksOf(text).find(({ file }) => file === 'compose.yaml');
  const { services } = parse(block?.body ?? '');
  const [[name, { command }]] = Object.entries<{ command: string }>(services) as [
    [string, { command: string }],
  ];
  const [program, ...words] = command.split(' ');
  expect([program, words.slice(0, 4)]).toEqual([
    'node_modules/.bin/perturb',
    ['serve', 'mutators', '--host', '0.0.0.0'],
  ]);
  const manifest =
    '[[mutator]]\nname = "m"\nactuator = { kind = "file", path = "f", template = "" }\n';
  const cwd = directoryWith({ 'mutators.toml': manifest });
  const { url } = await startServer(words.slice(4), { cwd });
  const status = await new Promise((resolve) => {
    get(`${url}/mutator`, { headers: { host: `${name}:8080` } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  expect(status).toBe(200);
});
