import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { manifestSchema } from '../../src/mutators/index.js';
import { directoryWith, perturb } from '../cli/program.js';
import { startServer } from './program.js';

const DOCS = readFileSync('docs/mutators.md', 'utf8');

/** The fenced blocks of a section, with their languages. */
function blocksOf(section: string) {
  const text = DOCS.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '';
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, body]) => ({
    language,
    body: body as string,
  }));
}

test('the five minutes go as they are told', async () => {
  const [start, ...steps] = blocksOf('Five minutes');
  const [, source] = /cp -r (\S+) \/tmp\/drone/.exec(start?.body ?? '') as RegExpExecArray;
  const [, flags] = /perturb serve mutators (.*)\n/.exec(start?.body ?? '') as RegExpExecArray;
  const directory = directoryWith({});
  cpSync(source as string, directory, { recursive: true });
  const program = await startServer((flags as string).split(' '), { cwd: directory });
  expect(steps.map(({ language }) => language)).toEqual(['sh', 'text', 'sh', 'text', 'sh', 'text']);
  for (let at = 0; at < steps.length; at += 2) {
    const [commands, output] = steps.slice(at).map(({ body }) => body) as [string, string];
    const script = commands
      .replaceAll('/tmp/drone', directory)
      .replaceAll('http://127.0.0.1:8080', program.url);
    const shown = execFileSync('sh', ['-e', '-c', script], { cwd: directory, encoding: 'utf8' });
    expect(`${shown.trimEnd()}\n`).toBe(output);
  }
  program.child.kill('SIGINT');
  expect((await program.exit).code).toBe(0);
});

test('every flag is described, and no other', async () => {
  const { stdout } = await perturb(['serve', 'mutators', '--help']);
  const flagsIn = (text: string) => new Set(text.match(/(?<![\w-])--[a-z][a-z-]+/g));
  const flags = flagsIn(stdout);
  flags.delete('--help');
  const told = flagsIn(DOCS);
  // Of the reflector.
  told.delete('--mutator');
  expect([...told].sort()).toEqual([...flags].sort());
});

test('every key of a manifest is described', () => {
  const keys = new Set<string>();
  const gather = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('properties' in schema) {
      for (const key of Object.keys(schema.properties as object)) keys.add(key);
    }
    for (const part of Object.values(schema)) gather(part);
  };
  gather(manifestSchema({ title: 'manifest' }));
  expect(keys.size).toBeGreaterThan(25);
  // `[[mutator]]`, the array that the tables are about.
  keys.delete('mutator');
  expect([...keys].filter((key) => !DOCS.includes(`\`${key}\``))).toEqual([]);
});
