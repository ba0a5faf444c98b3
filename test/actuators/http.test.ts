import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ActuatorError, createActuator } from '../../src/actuators/acting/index.js';
import {
  contextIn,
  failureOf,
  mutationOf,
  readManifest,
  temporaryDirectory,
  valuesOf,
} from '../server/support.js';

const SECRET = 's3cret-of-the-bench';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function make(
  request: string,
  environment: Readonly<Record<string, string>> = { TOKEN: SECRET },
  timeout = '20s',
) {
  const [mutator] = readManifest(`[[mutator]]
name = "m"
[[mutator.param]]
name = "value"
type = "string"
default = "v"
[[mutator.param]]
name = "n"
type = "integer"
default = 0
[mutator.actuator]
kind = "http"
timeout = "${timeout}"
reset = { url = "http://127.0.0.1:1/" }
[mutator.actuator.inject]
${request}`);
  if (mutator === undefined) throw new Error('no mutator');
  return createActuator(mutator, contextIn(temporaryDirectory(), { environment }));
}

/** What becomes of an injection: its failure, with no secret in it, or undefined. */
async function injected(
  request: string,
  values: Parameters<typeof valuesOf>[0] = { value: 'v', n: 1n },
  timeout?: string,
): Promise<[string, string]> {
  const actuator = await make(request, undefined, timeout);
  const failure = await failureOf(actuator.inject(mutationOf(valuesOf(values))));
  expect(failure[1]).not.toContain(SECRET);
  return failure;
}

test('a request is sent as it is written, with typed values and secrets in its headers', async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request: IncomingMessage, response) => {
    const { method, url: path, headers } = request;
    const { authorization, 'content-type': type, 'content-length': length, connection } = headers;
    seen.push([method, path, authorization, type, length, connection, await text(request)]);
    response.end();
  });
  const values = valuesOf({ value: 'a/b?c#d', n: 2n ** 60n });
  const put = await make(`method = "PUT"
url = "${url}/x/{value}/y?q={value}"
headers = { Authorization = "Bearer {env:TOKEN}" }
body = '{"n": "{n}", "all": ["{value}", 1.0, 12345678901234567890]}'`);
  await put.inject(mutationOf(values));
  const get = await make(`method = "GET"\nurl = "${url}"`);
  await get.inject(mutationOf(values));
  const nothing = await make(`url = "${url}"\nbody = 'null'`);
  await nothing.inject(mutationOf(values));
  const post = await make(
    `url = "${url}"\nheaders = { content-type = "application/vnd.x+json" }\nbody = '1'`,
  );
  await post.inject(mutationOf(values));
  const body = '{"n":1152921504606846976,"all":["a/b?c#d",1.0,12345678901234567890]}';
  expect(seen).toEqual([
    [
      ...['PUT', '/x/a%2Fb%3Fc%23d/y?q=a%2Fb%3Fc%23d', `Bearer ${SECRET}`, 'application/json'],
      ...[String(body.length), 'close', body],
    ],
    ['GET', '/', undefined, undefined, undefined, 'close', ''],
    ['POST', '/', undefined, 'application/json', '4', 'close', 'null'],
    ['POST', '/', undefined, 'application/vnd.x+json', '1', 'close', '1'],
  ]);
});

test('only 2xx is a success, and no redirect is followed', async () => {
  let asked = 0;
  const url = await serve((request, response) => {
    asked += 1;
    const status = Number(request.url?.slice(1, 4));
    const location = status === 304 ? {} : { location: `/there?token=${SECRET}` };
    response.writeHead(status, location).end(SECRET);
  });
  for (const status of [200, 202, 204, 299]) {
    await (await make(`url = "${url}/${status}"`)).inject(mutationOf(valuesOf({})));
  }
  for (const status of [301, 302, 307, 308]) {
    expect(await injected(`url = "${url}/${status}"`)).toEqual([
      'redirected',
      `POST ${url}/${status} was redirected to ${url}/there: redirects are not followed, so use the final URL`,
    ]);
  }
  for (const status of [304, 400, 404, 500]) {
    const message = `POST ${url}/${status} received status ${status}`;
    expect(await injected(`url = "${url}/${status}?token=x"`)).toEqual(['status', message]);
  }
  expect(asked).toBe(12);
});

test('a gateway that got no answer itself leaves open whether the system acts', async () => {
  const url = await serve((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  const late = async (status: number) => {
    const actuator = await make(`url = "${url}/${status}"`);
    const error = await actuator
      .inject(mutationOf(valuesOf({})))
      .catch((reason: unknown) => reason);
    return error instanceof ActuatorError ? [error.code, error.lateMs] : error;
  };
  expect(await late(502)).toEqual(['status', 20_000]);
  expect(await late(504)).toEqual(['status', 20_000]);
  expect(await late(500)).toEqual(['status', undefined]);
});

test('the time limit is for everything: headers that do not come, a body that does not end', async () => {
  const silent = await serve(() => {});
  const hurried = (url: string) => injected(`url = "${url}"`, undefined, '500ms');
  expect(await hurried(silent)).toEqual(['timed-out', `POST ${silent}/ took longer than 500 ms`]);
  const endless = await serve((_, response) => void response.writeHead(200).write('x'));
  expect((await hurried(endless))[0]).toBe('timed-out');
});

test('of a body no more is read than needs be', async () => {
  let sent = 0;
  const url = await serve((_, response) => {
    const chunk = Buffer.alloc(65_536);
    const pump = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on('drain', pump).on('error', () => {});
    pump();
  });
  await (await make(`url = "${url}"`)).inject(mutationOf(valuesOf({})));
  expect(sent).toBeLessThan(50_000_000);
});

test('a value cannot lead the request elsewhere', async () => {
  const url = await serve((_, response) => void response.end());
  const elsewhere = async (path: string, value: string) =>
    (await injected(`url = "${url}${path}"`, { value }))[1];
  for (const value of ['..', '.', '']) {
    expect(await elsewhere('/a/{value}/b', value)).toContain('a value would change the path');
  }
  expect(await elsewhere('/a/{value}', '')).toContain('a value would change the path');
  expect(await elsewhere('/a/{value}{value}', '.')).toContain('a value would change the path');
  expect(await elsewhere('/a/{value}', '\ud800')).toContain('an unpaired surrogate');
});

test('what can never be sent is told when the actuator is made', async () => {
  const request = 'url = "http://127.0.0.1:1/"\nheaders = { X-Key = "{env:TOKEN}" }';
  const creation = (environment: Readonly<Record<string, string>>) =>
    failureOf(make(request, environment).then(() => {}));
  expect(await creation({})).toEqual([
    'environment-missing',
    'the header "X-Key" needs the environment variable "TOKEN", which is not set',
  ]);
  const [code, message] = await creation({ TOKEN: `${SECRET}\n` });
  expect([code, message]).toEqual(['bad-header', expect.stringContaining('header "X-Key"')]);
  expect(message).not.toContain(SECRET);
});

test('no connection, one that is cut, and an answer that is not HTTP, are failures', async () => {
  const serveText = async (text: string) => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text));
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tcp.close());
    return `http://127.0.0.1:${(tcp.address() as AddressInfo).port}`;
  };
  const ssh = await serveText('SSH-2.0-x\r\n\r\n');
  const other = await serveText('HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  const cut = await serve((request) => void request.socket.destroy());
  const half = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('x');
    setImmediate(() => response.destroy());
  });
  expect(await injected('url = "http://127.0.0.1:1/"')).toEqual([
    'no-answer',
    'POST http://127.0.0.1:1/ received no response: ECONNREFUSED',
  ]);
  expect((await injected(`url = "${ssh}"`))[1]).toContain('HPE_');
  expect((await injected(`url = "${other}"`))[1]).toBe(`POST ${other}/ received status 101`);
  expect((await injected(`url = "${cut}"`))[1]).toContain('ECONNRESET');
  expect((await injected(`url = "${half}"`))[1]).toContain('ECONNRESET');
});
