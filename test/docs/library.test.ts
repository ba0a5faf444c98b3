import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { blocksOf, documents } from './documents.js';

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
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
  const found = ts.getPreEmitDiagnostics(ts.createProgram(files, OPTIONS));
  expect(found.map(({ file, messageText }) => [file?.fileName, messageText])).toEqual([]);
});

test('every export of the library is described, and nothing else', () => {
  const program = ts.createProgram(['src/index.ts'], { ...OPTIONS, allowJs: false });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(
    program.getSourceFile('src/index.ts') as ts.SourceFile,
  );
  const names = checker.getExportsOfModule(module as ts.Symbol).map(({ name }) => name);
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
