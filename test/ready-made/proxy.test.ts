import { expect, onTestFinished, test } from 'vitest';
import { handleCommand } from '../../src/ready-made/proxy/control.js';
import { Faults, TCP_FAULTS } from '../../src/ready-made/proxy/faults.js';
import { isRetryable } from '../../src/ready-made/proxy/http.js';
import { parseEndpoint } from '../../src/ready-made/proxy/run.js';

/** Faults whose timers end with the test. */
function faultsOf(): Faults {
  const faults = new Faults();
  onTestFinished(() => {
    for (const name of faults.names()) faults.reset(name);
  });
  return faults;
}

const LONG = 3_600;

test('a fault strikes a connection from its injection to its reset, whenever the connection began', () => {
  const faults = faultsOf();
  const early = faults.drawForConnection();
  expect(early('reset')).toBeUndefined();
  faults.inject('reset', { after: 5 }, LONG);
  expect([early('reset'), early('cut')]).toEqual([{ after: 5 }, undefined]);
  faults.inject('reset', { after: 7 }, LONG);
  expect([early('reset'), faults.names()]).toEqual([{ after: 7 }, ['reset']]);
  faults.reset('reset');
  faults.reset('reset');
  expect([early('reset'), faults.names()]).toEqual([undefined, []]);
});

test('it is drawn once if a fault strikes a connection', () => {
  const faults = faultsOf();
  faults.inject('half-open', { share: 50 }, LONG);
  const draws = Array.from({ length: 200 }, () => {
    const faultOf = faults.drawForConnection();
    return new Set(Array.from({ length: 20 }, () => faultOf('half-open') !== undefined));
  });
  expect(draws.every(({ size }) => size === 1)).toBe(true);
  expect(new Set(draws.flatMap((one) => [...one])).size).toBe(2);
  faults.inject('half-open', { share: 0 }, LONG);
  expect(faults.drawForConnection()('half-open')).toBeUndefined();
});

test('a fault strikes as many requests as asked, and all without a number', () => {
  const faults = faultsOf();
  const struck = () =>
    Array.from({ length: 5 }, () => faults.takeForRequest('http-abort') !== undefined);
  faults.inject('http-abort', { requests: 2 }, LONG);
  expect(struck()).toEqual([true, true, false, false, false]);
  faults.inject('http-abort', {}, LONG);
  expect(struck()).toEqual(Array(5).fill(true));
  faults.inject('http-abort', { requests: 9, share: 0 }, LONG);
  expect(struck()).toEqual(Array(5).fill(false));
});

test('what waits with a fault goes on at its reset', async () => {
  const faults = faultsOf();
  faults.inject('latency', { delay: 9 }, LONG);
  const waited = faults.waitWith('latency', performance.now() + 1e9);
  faults.inject('cut', {}, LONG);
  faults.reset('latency');
  await waited;
  await faults.waitWith('latency', Number.POSITIVE_INFINITY);
});

test('a fault ends by itself', async () => {
  const faults = faultsOf();
  faults.inject('latency', {}, 0.001);
  await faults.waitForChange();
  expect(faults.names()).toEqual([]);
});

test('a command is carried out, and what is none changes nothing', () => {
  const faults = faultsOf();
  const say = (command: object) => handleCommand(JSON.stringify(command), faults, TCP_FAULTS);
  const inject = { action: 'inject', fault: 'cut', params: { after: 1 }, seconds: LONG };
  expect([say(inject), say({ action: 'look' })]).toEqual(['', 'cut']);
  const whole = JSON.stringify({ action: 'reset', fault: 'cut' });
  for (let length = 0; length < whole.length; length++) {
    expect(handleCommand(whole.slice(0, length), faults, TCP_FAULTS)).toBe('unknown command');
  }
  for (const command of [
    [],
    {},
    { ...inject, params: undefined },
    { ...inject, params: [] },
    { ...inject, seconds: 0 },
    { ...inject, seconds: undefined },
    { ...inject, action: 'stop' },
  ]) {
    expect([command, say(command)]).toEqual([command, 'unknown command']);
  }
  expect(say({ action: 'look' })).toBe('cut');
  expect(say({ action: 'probe', fault: 'reset' })).toBe(
    'the fault reset is not active in the proxy',
  );
  expect(say({ ...inject, fault: 'http-abort' })).toBe(
    'the proxy was started without the argument http',
  );
  expect(say({ ...inject, fault: 'toString' })).toBe('unknown fault toString');
  expect([handleCommand(whole, faults, TCP_FAULTS), say({ action: 'look' })]).toEqual(['', '']);
});

test.each([
  ['127.0.0.1:7001', { host: '127.0.0.1', port: 7001 }],
  ['[::1]:0', { host: '::1', port: 0 }],
  ['db:5432', { host: 'db', port: 5432 }],
])('%s is an address', (word, address) => {
  expect(parseEndpoint(word)).toEqual(address);
});

test.each(['', '7001', 'db:', 'db:http', undefined])('%s is no address', (word) => {
  expect(() => parseEndpoint(word)).toThrow(new Error(`expected HOST:PORT, found ${word ?? ''}`));
});

test('a request can be repeated if it only asks, and has no body', () => {
  for (const [method, headers, isRepeatable] of [
    ['GET', {}, true],
    ['HEAD', { host: 'a' }, true],
    ['GET', { 'content-length': '1' }, false],
    ['GET', { 'transfer-encoding': 'chunked' }, false],
    ['POST', {}, false],
    ['DELETE', {}, false],
  ] as const) {
    expect([method, isRetryable({ method, headers })]).toEqual([method, isRepeatable]);
  }
});
