import { spawn, spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { projects } from './projects.js';

test('each file of tests belongs to one project', () => {
  const listed = Object.values(projects).flatMap(({ include, exclude }) =>
    globSync([...include], { ignore: [...exclude] }),
  );
  expect(listed.sort()).toEqual(globSync('test/**/*.test.ts').sort());
});

test('in the project unit, no process is started and no socket opened', () => {
  const refused = /test\/projects\.test\.ts (?:starts a process|opens a socket): list it under/;
  expect(() => spawn('true')).toThrow(refused);
  expect(() => spawnSync('true')).toThrow(refused);
  expect(() => createServer().listen(0)).toThrow(refused);
  expect(() => connect(9)).toThrow(refused);
});
