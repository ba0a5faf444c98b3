import { renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHostCheck, foreignHost, isHostName } from '../../../src/mutators/index.js';
import { createKeys, findDenial } from '../../../src/server/api/auth.js';
import { type KeySources, openKeys } from '../../../src/server/startup/keys.js';
import { directoryWith } from '../../cli/program.js';

test('accepts its keys and nothing else', () => {
  const keys = createKeys(['one', 'two', 'one']);
  for (const key of ['one', 'two']) expect(keys.accepts(key)).toBe(true);
  for (const key of ['', 'On', 'one ', 'onetwo', 'one, two', '__proto__']) {
    expect(keys.accepts(key)).toBe(false);
  }
  expect(createKeys([]).accepts('')).toBe(false);
});

test('no key is a 400, a wrong one a 401', () => {
  const keys = createKeys(['right']);
  expect(findDenial(keys, {}, () => undefined)?.status).toBe(400);
  expect(findDenial(keys, { mutator_apikey: 'wrong' }, () => undefined)?.status).toBe(401);
  expect(findDenial(keys, { mutator_apikey: 'right, right' }, () => undefined)?.status).toBe(401);
  expect(findDenial(keys, { mutator_apikey: 'right' }, () => undefined)).toBeUndefined();
  expect(findDenial(undefined, {}, () => undefined)).toBeUndefined();
});

test.each([
  [{ address: '127.0.0.1' }, 'localhost:8080', true],
  [{ address: '127.0.0.1' }, 'LOCALHOST.', true],
  [{ address: '127.0.0.1' }, '127.0.0.1:8080', true],
  [{ address: '127.0.0.1' }, '127.1.2.3', true],
  [{ address: '127.0.0.1' }, '[::1]:8080', true],
  [{ address: '127.0.0.1' }, 'bench.localhost', true],
  [{ address: '127.0.0.1' }, undefined, true],
  [{ address: '127.0.0.1' }, 'evil.example', false],
  [{ address: '127.0.0.1' }, 'localhost.evil.example', false],
  [{ address: '127.0.0.1' }, '127.0.0.1.evil.example:8080', false],
  [{ address: '127.0.0.1' }, 'a@localhost', false],
  [{ address: '127.0.0.1' }, '', false],
  [{ address: '127.0.0.1' }, '10.0.0.5', false],
  [{ address: '10.0.0.5', host: 'bench' }, '10.0.0.5:8080', true],
  [{ address: '10.0.0.5', host: 'bench' }, 'Bench:8080', true],
  [{ address: '10.0.0.5', host: 'Bench.' }, 'bench:8080', true],
  [{ address: 'FD00::5' }, '[fd00::5]:8080', true],
  [{ address: '10.0.0.5', host: 'bench' }, 'evil.example', false],
  [{ address: '0.0.0.0' }, '192.168.1.9', true],
  [{ address: '0.0.0.0' }, hostname(), true],
  [{ address: '0.0.0.0' }, 'evil.example', false],
  [{ address: '0.0.0.0', allowedHosts: ['bench', 'Proxy.'] }, 'bench:8080', true],
  [{ address: '0.0.0.0', allowedHosts: ['bench', 'Proxy.'] }, 'proxy', true],
  [{ address: '0.0.0.0', allowedHosts: ['bench'] }, 'bench.evil.example', false],
  [{ address: '127.0.0.1', allowedHosts: ['192.0.2.7'] }, '192.0.2.7:8080', true],
  [{ address: '127.0.0.1', allowedHosts: ['fd00::7'] }, '[fd00::7]:8080', true],
])('listening at %j, the Host %j is its own: %j', (listening, header, isOwn) => {
  expect(createHostCheck(listening)(header)).toBe(isOwn);
});

test('without keys a name that is not the server is turned away, and with keys any is fine', () => {
  const own = createHostCheck({ address: '127.0.0.1' });
  const request = { rawHeaders: ['Host', 'evil.example'] };
  const headers = { mutator_apikey: 'right' };
  const foreign = () => foreignHost(request, own);
  expect(findDenial(undefined, headers, foreign)).toEqual({
    status: 401,
    reason:
      'the Host "evil.example" is not this server; a server without an API key refuses other hosts',
  });
  expect(findDenial(createKeys(['right']), headers, foreign)).toBeUndefined();
});

const open = (sources: Omit<KeySources, 'env'>, env: KeySources['env'] = {}) =>
  openKeys({ ...sources, env }, () => {});

test('takes keys from a file, a variable and a token alike', () => {
  const file = join(directoryWith({ keys: '\nfirst\r\n  second key \n\n' }), 'keys');
  const keys = open({ file, variable: 'KEY', token: 'token' }, { KEY: 'variable' });
  expect(keys?.secrets.toSorted()).toEqual(['first', 'second key', 'token', 'variable']);
  for (const secret of keys?.secrets ?? []) expect(keys?.accepts(secret)).toBe(true);
  keys?.close();
  expect(open({})).toBeUndefined();
});

test.each([
  ['a file that is not there', {}, /^cannot read ".*keys": there is no such file$/],
  ['an empty file', { keys: ' \n\n' }, /^".*keys" contains no key: expected one key per line$/],
  [
    'a key that no header can carry',
    { keys: 'good\nsch\u00f6n\n' },
    /^the key in line 2 of ".*keys" contains /,
  ],
])('refuses %s', (_name, files, message) => {
  const file = join(directoryWith(files), 'keys');
  expect(() => open({ file })).toThrow(message);
});

test.each([
  ['unset', {}, 'the environment variable "KEY" contains no key'],
  ['empty', { KEY: '' }, 'the environment variable "KEY" contains no key'],
  ['unfit', { KEY: 'a\nb' }, /^the key in "KEY" contains characters/],
])('refuses a variable that is %s', (_name, env, message) => {
  expect(() => open({ variable: 'KEY' }, env)).toThrow(message);
});

test('follows its file, and keeps the keys when a change cannot be used', async () => {
  const file = join(directoryWith({ keys: 'old\n' }), 'keys');
  const changes: (string | undefined)[] = [];
  let wake = () => {};
  const keys = openKeys(
    { file, env: {} },
    (problem) => {
      changes.push(problem?.message);
      wake();
    },
    20,
  );
  onTestFinished(() => keys?.close());
  const change = async (text: string) => {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    await changed;
  };
  await change('old\nnew\n');
  expect([keys?.accepts('old'), keys?.accepts('new')]).toEqual([true, true]);
  await change('new\n');
  expect([keys?.accepts('old'), keys?.accepts('new')]).toEqual([false, true]);
  await change('\n');
  expect([keys?.accepts('new'), keys?.accepts('')]).toEqual([true, false]);
  expect(changes).toEqual([undefined, undefined, expect.stringMatching(/contains no key/)]);
});

test.each([
  ['bench', true],
  ['bench.example.', true],
  ['192.0.2.7', true],
  ['fd00::7', true],
  ['', false],
  ['bench:8080', false],
  ['http://bench', false],
  ['[fd00::7]', false],
  ['*.example', false],
  ['a b', false],
  ['a,b', false],
  ['bench..', false],
  ['.', false],
])('%j is a host name: %j', (text, isOne) => {
  expect(isHostName(text)).toBe(isOne);
});
