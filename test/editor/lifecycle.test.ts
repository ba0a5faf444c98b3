import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { Client } from './client.js';

/* The order of requests that the protocol asks for: initialize, others, shutdown, exit. */

const SERVER_NOT_INITIALIZED = -32002;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;

const INITIALIZE = { processId: null, rootUri: null, capabilities: {} };
const HOVER = { textDocument: { uri: 'file:///a' }, position: { line: 0, character: 0 } };

function started(): Client {
  const child = spawn(process.execPath, [resolve('dist/bin.cjs'), 'lsp', '--stdio'], {
    cwd: directoryWith({}),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const client = new Client(child);
  onTestFinished(() => client.kill());
  return client;
}

const failing = (code: number, message: string) =>
  expect.objectContaining({ code, message }) as unknown;

test('a request before initialize is refused, and initialize still works', async () => {
  const client = started();
  const early = failing(SERVER_NOT_INITIALIZED, 'the first request must be "initialize"');
  await expect(client.request('textDocument/hover', HOVER)).rejects.toEqual(early);
  await expect(client.request('no/such', {})).rejects.toEqual(early);
  await expect(client.request('shutdown', null)).rejects.toEqual(early);
  expect(await client.request('initialize', INITIALIZE)).toHaveProperty(
    'serverInfo.name',
    'perturb',
  );
});

test('a second initialize is refused, and other requests are served', async () => {
  const client = started();
  await client.request('initialize', INITIALIZE);
  await expect(client.request('initialize', INITIALIZE)).rejects.toEqual(
    failing(INVALID_REQUEST, '"initialize" can be sent only once'),
  );
  expect(await client.request('textDocument/hover', HOVER)).toBeNull();
  await expect(client.request('no/such', {})).rejects.toEqual(
    failing(METHOD_NOT_FOUND, 'Unhandled method no/such'),
  );
});

test('a request after shutdown is refused, and exit ends the server with 0', async () => {
  const client = started();
  await client.request('initialize', INITIALIZE);
  await client.request('shutdown', null);
  const late = failing(INVALID_REQUEST, 'only "exit" can follow "shutdown"');
  await expect(client.request('textDocument/hover', HOVER)).rejects.toEqual(late);
  await expect(client.request('shutdown', null)).rejects.toEqual(late);
  await expect(client.request('initialize', INITIALIZE)).rejects.toMatchObject({
    code: INVALID_REQUEST,
  });
  client.notify('exit', null);
  expect(await client.exited()).toBe(0);
});
