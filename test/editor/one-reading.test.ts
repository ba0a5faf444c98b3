import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createConnection, serveEditor } from '../../src/editor/index.js';
import { directoryWith } from '../cli/program.js';
import { ProtocolClient } from './connection.js';
import { HEAD, TAIL } from './open.js';

/** A client of a server of this process. */
async function startHere(directory: string): Promise<ProtocolClient> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const connection = createConnection(up, down);
  serveEditor(connection, { version: '0', pageOf: () => undefined, env: {} });
  const client = new ProtocolClient(down, up);
  onTestFinished(async () => {
    await client.request('shutdown', undefined);
    connection.dispose();
  });
  const rootUri = pathToFileURL(directory).href;
  await client.request('initialize', { processId: null, rootUri, capabilities: {} });
  client.notify('initialized', {});
  return client;
}

/** How often V8 enters functions of ours, by `file name`, while something is done. */
async function callsDuring(act: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const calls = new Map<string, number>();
  for (const { url, functions } of result) {
    const path = /\/src\/(.*)\.ts/.exec(url)?.[1];
    if (path === undefined) continue;
    for (const { functionName, ranges } of functions) {
      calls.set(`${path} ${functionName}`, ranges[0]?.count ?? 0);
    }
  }
  return calls;
}

test('a keystroke and the requests after it read the document and its expressions once', async () => {
  const directory = directoryWith({ 'perturb.toml': '' });
  const client = await startHere(directory);
  const uri = pathToFileURL(join(directory, 'a.objective.toml')).href;
  const text = `${HEAD}check = "MATCH (name = 'A') AS a AGGREGATE count() > 0"\n${TAIL}`;
  const textDocument = { uri };
  const ask = async (): Promise<void> => {
    const position = { line: 4, character: text.split('\n')[4]?.indexOf('a AGG') ?? 0 };
    await client.request('textDocument/semanticTokens/full', { textDocument });
    await client.request('textDocument/hover', { textDocument, position });
    await client.request('textDocument/completion', { textDocument, position });
    await client.request('textDocument/documentHighlight', { textDocument, position });
    await client.request('textDocument/selectionRange', { textDocument, positions: [position] });
  };
  client.open(uri, text);
  await client.diagnostics(uri);
  await ask();
  const calls = await callsDuring(async () => {
    client.change(uri, 2, text.replace('> 0', '> 1'));
    await client.diagnostics(uri, 2);
    await ask();
  });
  const counted = ['toml/parse-toml parseToml', 'expression/parse parse'];
  expect(counted.map((name) => calls.get(name))).toEqual([1, 1]);
});

test('perturb.toml is read when it has changed on disk, and not for an edit elsewhere', async () => {
  const setting = (level: string): string =>
    `[lint.rules]\n"expression/unquoted-string" = "${level}"\n`;
  const directory = directoryWith({ 'perturb.toml': setting('error') });
  const config = join(directory, 'perturb.toml');
  const { atime, mtime } = statSync(config);
  utimesSync(config, atime, mtime);
  const client = await startHere(directory);
  const uri = pathToFileURL(join(directory, 'a.objective.toml')).href;
  const text = `${HEAD}check = "MATCH (name = A) AS a"\n${TAIL}`;
  const severityAfter = async (version: number): Promise<number | undefined> => {
    client.change(uri, version, `${text}# ${version}\n`);
    return (await client.diagnostics(uri, version))[0]?.severity;
  };
  client.open(uri, text);
  expect((await client.diagnostics(uri))[0]?.severity).toBe(1);
  // The same size, inode and time: only reading could tell.
  writeFileSync(config, setting('warn').padEnd(readFileSync(config).length, '\n'));
  utimesSync(config, atime, mtime);
  expect(await severityAfter(2)).toBe(1);
  utimesSync(config, atime, new Date(mtime.getTime() + 5_000));
  expect(await severityAfter(3)).toBe(2);
});
