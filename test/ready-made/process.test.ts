import { expect, test } from 'vitest';
import { findServiceCgroup } from '../../src/ready-made/process/own-cgroup.js';
import { readLastLines } from '../../src/ready-made/process/restart.js';
import { parsePid } from '../../src/ready-made/process/targets.js';
import { isInGroup } from '../../src/ready-made/process/units.js';
import { directoryWith } from '../cli/program.js';

test.each([
  ['42', 42],
  ['42\n', 42],
  [' 42 \n/var/lib/data\n1764400000\n', 42],
])('the pid in %j is %d', (text, pid) => {
  expect(parsePid(text, 'a.pid')).toBe(pid);
});

test.each([
  ['', "expected a service's pid on the first line of a.pid, found an empty line"],
  ['\n42\n', "expected a service's pid on the first line of a.pid, found an empty line"],
  ['1\n', 'expected a service\'s pid on the first line of a.pid, found "1"'],
  ['-42\n', 'expected a service\'s pid on the first line of a.pid, found "-42"'],
  ['nginx 42\n', 'expected a service\'s pid on the first line of a.pid, found "nginx 42"'],
  ['\u001b[2J', 'expected a service\'s pid on the first line of a.pid, found "\\u001b[2J"'],
])('%j holds no pid', (text, message) => {
  expect(() => parsePid(text, 'a.pid')).toThrow(new Error(message));
});

test.each([
  [['0::/system.slice/web.service'], '0::/system.slice/web.service'],
  [
    ['3:cpu:/a', '1:name=systemd:/system.slice/web.service', '0::/'],
    '1:name=systemd:/system.slice/web.service',
  ],
  [['0::/'], undefined],
  [['3:cpu:/docker/1'], undefined],
  [['0::/user.slice/user-0.slice/session-1.scope'], undefined],
  [
    ['0::/user.slice/user-0.slice/user@0.service/app.slice/web.service'],
    '0::/user.slice/user-0.slice/user@0.service/app.slice/web.service',
  ],
  [[''], undefined],
])('of the cgroups %j, that of a service is %s', (cgroups, cgroup) => {
  expect(findServiceCgroup(cgroups)).toBe(cgroup);
});

test('a process is in the group of a unit, or below it, but not in one whose name begins so', () => {
  const group = '/system.slice/web.service';
  for (const [cgroups, isIn] of [
    ['0::/system.slice/web.service\n', true],
    ['4:cpu:/\n0::/system.slice/web.service/worker\n', true],
    ['0::/system.slice/web.service2\n', false],
    ['0::/a:b\n', false],
    ['', false],
  ] as const) {
    expect([cgroups, isInGroup(cgroups, group)]).toEqual([cgroups, isIn]);
  }
});

test('the last lines of a log are those since a restart', () => {
  const before = 'earlier\n';
  const lines = Array.from({ length: 12 }, (_, n) => `line ${n}\n`).join('');
  const path = `${directoryWith({ log: `${before}${lines}` })}/log`;
  expect(readLastLines(path, before.length)).toBe(
    `: ${Array.from({ length: 10 }, (_, n) => `line ${n + 2}`).join('\n')}`,
  );
  expect(readLastLines(path, before.length + lines.length)).toBe('');
});
