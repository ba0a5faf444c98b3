import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { bundle, virtual } from '../../scripts/bundle.js';

const ENTRY = `export { evaluate, bindings, GrowingSession } from './src/evaluation/index.js';
export { readSession, SessionBuilder } from './src/session/index.js';
export { parse } from './src/expression/index.js';`;

test('sessions are read and measured in a browser: a bundle without any module of Node', async () => {
  const input = resolve('browser.ts');
  const { output } = await bundle(
    { input, plugins: [virtual(input, ENTRY)], platform: 'browser', write: false },
    { format: 'esm', codeSplitting: false },
  );
  const [{ code, imports, dynamicImports }, ...others] = output;
  expect([...imports, ...dynamicImports, ...others]).toEqual([]);
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  const { readSession, evaluate, parse } = await import(/* @vite-ignore */ url);
  const { session } = await readSession(
    '{"probe":"A","name":"GUST"}\n{"probe":"A","name":"BEAT"}\n{"probe":"A","name":"BEAT"}\n',
  );
  const { expression } = parse(
    "MATCH (name = 'GUST') AS gust, (name = 'BEAT') AS beat WHEN gust -> beat AGGREGATE count() = 2",
  );
  expect(evaluate(session, expression)).toMatchObject({ status: 'holds', bindings: '2' });
});
