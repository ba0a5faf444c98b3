import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownPort } from '../adversary/harness/systems.js';
import { serveMutators } from './mutator-server.js';
import { CLEAN, directoryWith, perturb } from './program.js';

async function examine(cwd: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await perturb(['doctor', '--format', 'json', ...flags], { cwd });
  const { version, checks } = JSON.parse(stdout);
  expect({ version, stderr }).toEqual({ version: 1, stderr: '' });
  const of = (subject: string) =>
    checks.find((check: { readonly subject: string }) => check.subject === subject);
  return { code, of };
}

test('a project where all is well', async () => {
  const { url } = await serveMutators();
  const cwd = directoryWith({
    'perturb.toml': `[lint]\nmutators = ["bench"]\n[servers.bench]\nurl = "${url}"\n[run]\nattempt_time = "5s"\n[store]\nurl = "sqlite:lab.db"\n`,
    'a.toml': CLEAN,
  });
  await perturb(['objective', 'create', 'a.toml'], { cwd });
  const { code, of } = await examine(cwd);
  expect(code).toBe(0);
  expect(of('configuration')).toEqual({
    subject: 'configuration',
    state: 'ok',
    detail: 'no errors',
    from: 'perturb.toml',
  });
  expect(of('server bench')).toMatchObject({
    state: 'ok',
    detail: `${url}: 5 mutators, without a key`,
    from: 'perturb.toml',
  });
  expect(of('mutators bench')).toMatchObject({
    state: 'ok',
    detail: '5 mutators, without a key',
  });
  expect(of('store')).toMatchObject({
    state: 'ok',
    detail: 'lab.db: 1 objective, 1 revision, none damaged',
    from: 'perturb.toml',
  });
  expect(of('run servers')).toMatchObject({ detail: 'bench', from: 'default' });
  expect(of('run timeout')).toMatchObject({ detail: '10s', from: 'default' });
  expect(of('run attempt_time')).toMatchObject({ detail: '5s', from: 'perturb.toml' });
  expect(of('include')).toMatchObject({ detail: '*.objective.toml', from: 'default' });
  const offline = await examine(cwd, '--offline');
  expect(offline.of('server bench')).toMatchObject({ state: 'ok', detail: url });
  expect(offline.of('mutators bench').state).toBe('bad');
});

test('each bench, whose servers answer or not', async () => {
  const { url } = await serveMutators();
  const away = `http://127.0.0.1:${await ownPort()}`;
  const cwd = directoryWith({
    'perturb.toml': `[servers.lab]
url = "${url}"
[benches.a]
servers = ["lab", "${url}"]
[benches.away]
servers = ["${away}"]
[benches.none]
servers = []
[benches.other]
servers = ["lob"]
`,
  });
  const { code, of } = await examine(cwd);
  expect(code).toBe(4);
  const all = ['a', 'away', 'none', 'other'];
  expect(all.map((name) => of(`bench ${name}`)?.state)).toEqual(['ok', 'bad', 'bad', 'bad']);
  expect(all.map((name) => of(`bench ${name}`)?.detail)).toEqual([
    `lab: 5 mutators, without a key, ${url}: 5 mutators, without a key`,
    `${away}/mutator refused the connection: check that the mutator server is running on this port`,
    'no servers configured',
    '[servers] has no "lob"',
  ]);
  const offline = await examine(cwd, '--offline');
  expect(offline.of('bench a')).toMatchObject({ state: 'ok', detail: `lab, ${url}` });
  expect(offline.of('bench away')).toMatchObject({ state: 'ok', detail: away });
});

test('what the ready-made mutators of a manifest lack on this machine', async () => {
  const cwd = directoryWith({});
  await perturb(['mutators', 'new', 'disk', '--path', '/mnt'], { cwd });
  const found = await examine(cwd);
  expect(found.of('requirements of mutators.toml')).toEqual(
    process.platform === 'linux'
      ? { subject: 'requirements of mutators.toml', state: 'ok', detail: 'Linux, fallocate' }
      : expect.objectContaining({ state: 'bad' }),
  );
  const text = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
  writeFileSync(
    join(cwd, 'mutators.toml'),
    text.replace('# Needs: Linux, fallocate', '# Needs: no-such-tool, Linux; root for a unit'),
  );
  const without = await examine(cwd);
  expect([without.code, without.of('requirements of mutators.toml')]).toEqual([
    4,
    expect.objectContaining({ state: 'bad', detail: 'missing on this machine: no-such-tool' }),
  ]);
});

test('recorded sessions that lint checks against, and those that are not there', async () => {
  const cwd = directoryWith({
    'perturb.toml': '[lint]\nsessions = ["recordings", "recodings"]\n',
    'recordings/a.session.jsonl': '{"probe":"A","name":"x"}\n',
    'recordings/b.session.jsonl': '{"probe":"A","name":"y"}\n',
  });
  const { code, of } = await examine(cwd);
  expect(code).toBe(0);
  const from = 'perturb.toml';
  expect(of('sessions recordings')).toMatchObject({
    state: 'ok',
    detail: '2 files, 2 events',
    from,
  });
  expect(of('sessions recodings')).toMatchObject({
    ...{ state: 'off', from },
    detail: 'no sessions found to check objectives against',
  });
});

test('recorded sessions are read by the tables of perturb.toml, of which one may match', async () => {
  const lint = '[lint]\nsessions = ["x.log"]\n';
  const app = `[reading.app]\nfiles = ["*.log"]\npattern = '^(?<name>\\w+) is up$'\n`;
  const cwd = directoryWith({ 'perturb.toml': `${lint}${app}`, 'x.log': 'A is up\nB is up\n' });
  const one = await examine(cwd);
  expect([one.code, one.of('sessions x.log').detail]).toEqual([0, '1 file, 2 events']);
  writeFileSync(join(cwd, 'perturb.toml'), `${lint}${app}${app.replace('app', 'other')}`);
  const two = await examine(cwd);
  expect([two.code, two.of('sessions x.log')]).toEqual([
    4,
    {
      ...{ subject: 'sessions x.log', state: 'bad', from: 'perturb.toml' },
      detail: 'x.log matches [reading.app] and [reading.other] of perturb.toml',
    },
  ]);
});

test('a server that does not answer, or wants another key: 4', async () => {
  const { url } = await serveMutators({ key: 'secret' });
  const cwd = directoryWith({
    'perturb.toml': `[servers.gone]\nurl = "http://127.0.0.1:1"\n[servers.guarded]\nurl = "${url}"\n`,
  });
  const { code, of } = await examine(cwd);
  expect(code).toBe(4);
  expect(of('server gone')).toMatchObject({ state: 'bad', from: 'perturb.toml' });
  expect(of('server guarded').state).toBe('bad');
  expect((await examine(cwd, '--offline')).code).toBe(0);
});

test('what is wrong is named, and does not hide the rest', async () => {
  const line = JSON.stringify({ id: 'wind', touched: { since: 1 } });
  const checksum = createHash('sha256').update(line).digest('hex').slice(0, 8);
  const cwd = directoryWith({
    'perturb.toml':
      '[lint]\nmutators = ["http://127.0.0.1:1/", "no.toml"]\n[store]\nurl = "sqlite:no.db"\n[run]\nservers = ["bnech"]\nattempt_time = "5m"\n',
    '.perturb/state/journal': `perturb-journal 2\n${checksum} ${line}\n`,
  });
  const { code, of } = await examine(cwd);
  expect(code).toBe(4);
  expect(of('run servers')).toMatchObject({ state: 'bad', detail: '[servers] has no "bnech"' });
  expect(of('run attempt_time')).toMatchObject({
    state: 'bad',
    detail: 'perturb.toml: "attempt_time" of [run] is not a duration: unknown unit "m"',
    from: 'perturb.toml',
  });
  expect(of('mutators http://127.0.0.1:1/').state).toBe('bad');
  expect(of('mutators no.toml').detail).toContain('no such file');
  expect(of('store')).toMatchObject({ state: 'bad' });
  expect(of(join('state .perturb/state')).state).toBe('bad');
});

test('a mistake in perturb.toml: 2', async () => {
  const cwd = directoryWith({ 'perturb.toml': 'lnt = 1\n' });
  const { code, of } = await examine(cwd);
  expect({ code, ...of('configuration') }).toMatchObject({
    code: 2,
    state: 'bad',
    detail: 'unknown key "lnt"',
  });
});

test.skipIf(process.platform === 'win32')(
  'what stands in the place of a file is no bug',
  async () => {
    const cwd = directoryWith({
      'perturb.toml': '[lint]\nmutators = ["x.toml", "pipe.toml"]\n',
      'x.toml/a': '',
      'mutators.toml/a': '',
      '.perturb/plugins': '',
    });
    spawnSync('mkfifo', [join(cwd, 'pipe.toml')]);
    const { code, of } = await examine(cwd);
    expect(code).toBe(4);
    expect(of('mutators x.toml')).toMatchObject({ state: 'bad' });
    expect(of('mutators pipe.toml')).toMatchObject({ state: 'bad' });
  },
);
