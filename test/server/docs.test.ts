import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { perturb } from '../cli/program.js';

test('docs/mutators.md describes every flag of the server, and no other', async () => {
  const { stdout } = await perturb(['serve', 'mutators', '--help']);
  const flagsIn = (text: string) => new Set(text.match(/(?<![\w-])--[a-z][a-z-]+/g));
  const flags = flagsIn(stdout);
  // Those that every command has.
  for (const flag of ['--help', '--color', '--no-color', '--debug', '--version'])
    flags.delete(flag);
  const told = flagsIn(readFileSync('docs/mutators.md', 'utf8'));
  // Of the reflector, and of perturb mutators lint.
  for (const flag of ['--mutator', '--fix', '--suggested']) told.delete(flag);
  expect([...told].sort()).toEqual([...flags].sort());
});
