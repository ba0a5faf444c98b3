import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, documents } from './documents.js';

const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
};

test('the examples in JavaScript have no errors of type, against the package as it is built', () => {
  const root = mkdtempSync(join(tmpdir(), 'perturb-docs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(resolve('.'), join(root, 'node_modules/perturb'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  const files = documents.flatMap(({ path, text }) =>
    blocksOf(text)
      .filter(({ language }) => language === 'js')
      .map(({ file, body }) => {
        const written = join(root, path.replaceAll('/', '-'), file as string);
        mkdirSync(dirname(written), { recursive: true });
        writeFileSync(written, body);
        return written;
      }),
  );
  expect(files.length).toBeGreaterThan(5);
  const config = JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files });
  writeFileSync(join(root, 'tsconfig.json'), config);
  const tsc = [resolve('node_modules/typescript7/bin/tsc'), '--project', root, '--singleThreaded'];
  const { status, stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('every export of the library is described, and nothing else', () => {
  const types = readFileSync('dist/index.d.ts', 'utf8');
  const names = [...types.matchAll(/^export (?:type )?\{ (.*) \};$/gm)].flatMap(([, list = '']) =>
    list.split(', ').map((name) => name.replace(/^.* as /, '')),
  );
  expect(names.length).toBeGreaterThan(60);
  const document = readFileSync('docs/library.md', 'utf8');
  expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(document))).toEqual([]);
  const [prose, table = ''] = document.split('## All types');
  const rows = table.split('\n').filter((line) => line.startsWith('|'));
  const listed = [...rows.join('\n').matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
  // Of what else the page names, what it calls is a function of the library.
  const called = [...(prose as string).matchAll(/`(\w+)\(/g)].map(([, name]) => name as string);
  expect(called.length).toBeGreaterThan(10);
  expect([...listed, ...called].filter((name) => !names.includes(name))).toEqual([]);
});
