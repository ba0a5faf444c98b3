import { build } from 'esbuild';
import { expect, test } from 'vitest';

const ENTRY = `export { evaluate, bindings, GrowingSession } from './src/evaluation/index.js';
export { readSession, SessionBuilder } from './src/session/index.js';
export { parse } from './src/expression/index.js';`;

test('sessions are read and measured in a browser: a bundle without any module of Node', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: ENTRY, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  expect(imports.filter(({ path, external }) => external || path.startsWith('node:'))).toEqual([]);
  const [bundle] = outputFiles;
  const url = `data:text/javascript,${encodeURIComponent(bundle?.text ?? '')}`;
  const { readSession, evaluate, parse } = await import(/* @vite-ignore */ url);
  const { session } = await readSession(
    '{"probe":"A","name":"GUST"}\n{"probe":"A","name":"BEAT"}\n{"probe":"A","name":"BEAT"}\n',
  );
  const { expression } = parse(
    "MATCH (name = 'GUST') AS gust, (name = 'BEAT') AS beat WHEN gust -> beat AGGREGATE count() = 2",
  );
  expect(evaluate(session, expression)).toMatchObject({ status: 'holds', bindings: '2' });
});
