import { existsSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createActuator } from '../../src/actuators/acting/index.js';
import { ownPort } from '../adversary/harness/systems.js';
import { listen } from '../server/faults/ready-made.js';
import {
  contextIn,
  failureOf,
  mutationOf,
  readManifest,
  temporaryDirectory,
  until,
  valuesOf,
} from '../server/support.js';

/** An actuator that notes its injections in a file, `value`, and removes that in a reset. */
function make(check: string, { on = 'injected', timeout = '60s' } = {}) {
  const directory = temporaryDirectory();
  const [mutator] = readManifest(`[[mutator]]
name = "m"
[[mutator.param]]
name = "value"
type = "string"
[mutator.actuator]
kind = "exec"
inject = ["sh", "-c", "echo $PERTURB_PARAM_VALUE > value"]
reset = ["rm", "-f", "value"]
timeout = "${timeout}"
[mutator.verify]
${on} = { ${check} }
`);
  if (mutator === undefined) throw new Error('no mutator');
  return { directory, made: createActuator(mutator, contextIn(directory)) };
}

const mutation = (value = 'v') => mutationOf(valuesOf({ value }));

/** The failure of an injection that a check follows; undefined where it succeeds. */
async function injected(check: string, timeout?: string): Promise<[string, string] | undefined> {
  const { made } = make(check, { ...(timeout !== undefined && { timeout }) });
  const actuator = await made;
  const done = actuator.inject(mutation());
  const isDone = await done.then(
    () => true,
    () => false,
  );
  return isDone ? undefined : failureOf(done);
}

const unverified = (reason: string) => [
  'not-verified',
  `the injection cannot be verified: ${reason}`,
];

/** A port of the loopback where a server takes connections until the test ends. */
const accepting = (server: Server = createServer((socket) => socket.on('error', () => {}))) =>
  listen(server);

test('a connection is accepted or refused, as the check says', async () => {
  const [open, shut] = [await accepting(), await ownPort()];
  expect(await injected(`tcp = "127.0.0.1:${open}"`)).toBe(undefined);
  expect(await injected(`tcp = "127.0.0.1:${shut}", refused = true`)).toBe(undefined);
  expect(await injected(`tcp = "127.0.0.1:${shut}"`, '3s')).toEqual(
    unverified(`a connection to 127.0.0.1:${shut} was refused`),
  );
  expect(await injected(`tcp = "127.0.0.1:${open}", refused = true`, '3s')).toEqual(
    unverified(
      `a connection to 127.0.0.1:${open} was accepted, but the connection should have been refused`,
    ),
  );
});

test('a request is answered with a status, or with success', async () => {
  const seen: unknown[] = [];
  const port = await accepting(
    createHttpServer(({ method, url, headers }, response) => {
      seen.push([method, url, headers.authorization]);
      response.writeHead(url === '/down' ? 503 : 200).end();
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  expect(await injected(`request = { url = "${url}/up/{value}" }`)).toBe(undefined);
  expect(await injected(`request = { url = "${url}/down" }, status = 503`)).toBe(undefined);
  expect(seen).toEqual([
    ['GET', '/up/v', undefined],
    ['GET', '/down', undefined],
  ]);
  expect(await injected(`request = { url = "${url}/down" }`, '3s')).toEqual(
    unverified(`GET ${url}/down received status 503`),
  );
  const gone = `http://127.0.0.1:${await ownPort()}`;
  expect(await injected(`request = { url = "${gone}/" }, refused = true`)).toBe(undefined);
  expect(await injected(`request = { url = "${gone}/" }, status = 503`, '3s')).toEqual(
    unverified(`GET ${gone}/ was refused`),
  );
});

test('what is slower than it must be is not waited for longer', async () => {
  const silent = await accepting();
  const quick = await accepting(createHttpServer((_, response) => response.end()));
  const url = (port: number) => `request = { url = "http://127.0.0.1:${port}/" }`;
  expect(await injected(`${url(silent)}, slower_than = "50ms"`, '1h')).toBe(undefined);
  const [code, message] = (await injected(`${url(quick)}, slower_than = "60s"`, '3s')) ?? [];
  expect(code).toBe('not-verified');
  expect(message).toMatch(
    /^the injection cannot be verified: GET http:\/\/127\.0\.0\.1:\d+\/ received status 200 after \d+ ms, but must take at least 60000 ms$/,
  );
  // Where the status counts, it has to come.
  expect((await injected(`${url(silent)}, slower_than = "10ms", status = 200`, '3s'))?.[1]).toMatch(
    /received no response within 1000 ms$/,
  );
  expect(await injected('command = ["sleep", "0.1"], slower_than = "50ms"')).toBe(undefined);
});

test('a command ends with a status, and knows the mutation', async () => {
  const sees = `["sh", "-c", "read line; echo \\"$line $PERTURB_PARAM_VALUE $1\\" > seen; cat value > got; exit 3", "x", "{value}"]`;
  const { directory, made } = make(`command = ${sees}, exit = 3`);
  await (await made).inject(mutation('gust'));
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  expect([read('got'), read('seen')]).toEqual([
    'gust\n',
    `{"mutation":"${mutation().id}","params":{"value":"gust"}} gust gust\n`,
  ]);
  expect(await injected(`command = ["sh", "-c", "echo no packet >&2; exit 4"]`, '3s')).toEqual(
    unverified('the command "sh" ended with code 4, stderr: "no packet"'),
  );
  expect(await injected('command = ["true"], exit = 3', '3s')).toEqual(
    unverified('the command "true" ended with code 0'),
  );
  expect(await injected('command = ["no-such-command"]', '3s')).toEqual(
    unverified('the command "no-such-command" cannot be started: spawn no-such-command ENOENT'),
  );
  expect((await injected('command = ["sleep", "600"]', '3s'))?.[1]).toMatch(
    /^the injection cannot be verified: the command "sleep" took longer than \d+ ms$/,
  );
});

test('it is tried until it holds, also after a reset', async () => {
  for (const on of ['injected', 'reset']) {
    const count = `["sh", "-c", "echo >> tries; test $(wc -l < tries) -eq 3"]`;
    const { directory, made } = make(`command = ${count}`, { on, timeout: '60s' });
    const actuator = await made;
    await actuator.inject(mutation());
    await actuator.reset();
    expect([on, readFileSync(join(directory, 'tries'), 'utf8')]).toEqual([on, '\n\n\n']);
  }
  const { made } = make('command = ["false"]', { on: 'reset', timeout: '3s' });
  expect(await failureOf((await made).reset())).toEqual([
    'not-verified',
    'the reset cannot be verified: the command "false" ended with code 1',
  ]);
});

test('an injection that fails, or is interrupted, is not verified', async () => {
  const { directory, made } = make('command = ["touch", "tried"]');
  const actuator = await made;
  const end = new AbortController();
  end.abort();
  expect((await failureOf(actuator.inject(mutation(), end.signal)))[0]).toBe('aborted');
  expect(existsSync(join(directory, 'tried'))).toBe(false);

  const waiting = make('command = ["sh", "-c", "touch tried; exit 1"]', { timeout: '1h' });
  const interruption = new AbortController();
  const failure = failureOf((await waiting.made).inject(mutation(), interruption.signal));
  await until(() => existsSync(join(waiting.directory, 'tried')));
  interruption.abort();
  expect(await failure).toEqual(['aborted', 'the injection was interrupted']);
});
