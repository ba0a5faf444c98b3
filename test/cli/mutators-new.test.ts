import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTATOR_KINDS } from '../../src/cli/mutators/manifests.js';
import { loadManifest } from '../../src/mutators/index.js';
import { decodeSource } from '../../src/source/index.js';
import { directoryWith, perturb } from './program.js';

const NEW = ['mutators', 'new'];
const KEY = [...NEW, 'key', '--file', 'service.json'];
const TEMPLATES = 'examples/mutators';

test('each kind has a template without findings, whose parameters have ranges and least effects', () => {
  const all = Object.keys(MUTATOR_KINDS);
  expect(all.length).toBeGreaterThan(1);
  for (const kind of all) {
    const path = join(TEMPLATES, kind, 'mutators.toml');
    const { manifest, findings } = loadManifest(decodeSource(path, readFileSync(path)));
    expect([kind, findings]).toEqual([kind, []]);
    expect(readFileSync(path, 'utf8')).toMatch(/^# When the server dies: /m);
    for (const mutator of manifest?.mutators ?? []) {
      expect([kind, mutator.id.startsWith(kind), mutator.tags.length > 0]).toEqual([
        ...[kind, true, true],
      ]);
      for (const { name, type, hardRange, leastEffect } of mutator.parameters) {
        const isBounded = !['integer', 'float'].includes(type) || hardRange !== undefined;
        expect([kind, name, isBounded, leastEffect !== undefined]).toEqual([
          ...[kind, name, true, true],
        ]);
      }
    }
    expect(readFileSync(path, 'utf8').match(/^max_active = /gm)?.length).toBe(
      manifest?.mutators.length,
    );
  }
});

test('a key: written, then another one added below what was there', async () => {
  const cwd = directoryWith({});
  expect(await perturb([...KEY, '--key', 'wind.speed', '--range', '0..40'], { cwd })).toEqual({
    code: 0,
    stdout: 'wrote mutators.toml: 1 mutator\n  wind-speed\n',
    stderr: '',
  });
  const first = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
  expect(first).toContain(
    'name = "value"\ntype = "integer"\nhard_range = [0, 40]\nleast_effect = 0\n',
  );
  expect(first).toContain('path = "service.json"\nkey = ["wind", "speed"]\n');
  const values = ['--key', 'mode', '--values', 'fast, slow', '--name', 'gear'];
  expect((await perturb([...KEY, ...values], { cwd })).stdout).toBe(
    'added to mutators.toml: 1 mutator\n  gear\n',
  );
  const second = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
  expect(second.startsWith(first)).toBe(true);
  expect(second).toContain('options = ["fast", "slow"]\nleast_effect = "fast"\n');
  expect((await perturb(['mutators', 'lint'], { cwd })).code).toBe(0);
  expect(readdirSync(cwd)).toEqual(['mutators.toml']);
  expect(
    await perturb([...KEY, '--key', 'mode', '--values', 'a', '--name', 'gear'], { cwd }),
  ).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /duplicate mutator id "gear".*\nperturb: nothing was written, because the manifest would have errors\n$/,
    ),
  });
  expect(readFileSync(join(cwd, 'mutators.toml'), 'utf8')).toBe(second);
});

test('scripts are copied beside the manifest; one that is there and is another stays', async () => {
  const cwd = directoryWith({ 'b/proxy.mjs': 'mine' });
  const to = (path: string) => {
    const addresses = ['--listen', '127.0.0.1:1', '--upstream', '[::1]:2'];
    return perturb([...NEW, 'proxy', ...addresses, '--name', 'db', '--manifest', path], { cwd });
  };
  const { code, stdout } = await to('mutators.toml');
  expect([code, stdout.split('\n').slice(-3)]).toEqual([
    0,
    ['copied proxy.mjs', 'the server starts: node proxy.mjs run db 127.0.0.1:1 [::1]:2', ''],
  ]);
  expect(readFileSync(join(cwd, 'proxy.mjs'), 'utf8')).toBe(
    readFileSync('dist/ready-made/proxy.mjs', 'utf8'),
  );
  expect(readFileSync(join(cwd, 'mutators.toml'), 'utf8')).not.toMatch(/"proxy["-]/);
  expect(await to('b/mutators.toml')).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: b/proxy.mjs exists and is from another version
Move it away, or write the manifest into another directory with --manifest.
`,
  });
  expect(readdirSync(join(cwd, 'b'))).toEqual(['proxy.mjs']);
  const shown = await to('-');
  expect([shown.code, shown.stdout]).toEqual([0, readFileSync(join(cwd, 'mutators.toml'), 'utf8')]);
});

test.each([
  ['tcp', ''],
  ['http', ' http'],
])(
  'a proxy that reads %s has the mutators that work with it, and is started so',
  async (mode, word) => {
    const cwd = directoryWith({ 'a b/c': '' });
    const addresses = ['--listen', '127.0.0.1:1', '--upstream', '127.0.0.1:2'];
    const words = [
      ...NEW,
      'proxy',
      ...addresses,
      '--mode',
      mode,
      '--manifest',
      'a b/mutators.toml',
    ];
    const { code, stdout } = await perturb(words, { cwd });
    const start = `node proxy.mjs run proxy 127.0.0.1:1 127.0.0.1:2${word}`;
    const text = readFileSync(join(cwd, 'a b/mutators.toml'), 'utf8');
    expect(code).toBe(0);
    expect(stdout).toContain(`the server starts: ${start}\n`);
    expect(text).toContain(`command = ${JSON.stringify(start.split(' ')).replaceAll(',', ', ')}\n`);
    const faults = ['latency', 'bandwidth', 'reset', 'half-open', 'cut'];
    const more = mode === 'http' ? ['http-delay', 'http-status', 'http-abort'] : [];
    expect([...text.matchAll(/^name = "proxy-(.*)"$/gm)].map(([, name]) => name)).toEqual([
      ...[...faults, ...more],
    ]);
  },
);

test.each([
  [['--name', 'web-1.db'], 'web-1.db', 'name=web-1.db", "label=", "service="', 'docker'],
  [
    ['--label', 'app.kubernetes.io/name=Shop', '--engine', 'podman'],
    'shop',
    'name=", "label=app.kubernetes.io/name=Shop", "service="',
    'podman',
  ],
  [['--service', 'first/db'], 'first-db', 'name=", "label=", "service=first/db"', 'docker'],
])(
  'containers with %j: the mutators begin with %s, and choose replicas where there may be several',
  async (words, id, target, engine) => {
    const cwd = directoryWith({});
    const { code, stdout } = await perturb([...NEW, 'container', ...words], { cwd });
    const faults = ['pause', 'kill', 'stop', 'restart', 'network', 'cpu', 'memory'];
    expect([code, stdout]).toEqual([
      0,
      `wrote mutators.toml: 7 mutators\n${faults.map((one) => `  ${id}-${one}\n`).join('')}copied containers.mjs\n`,
    ]);
    const text = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
    expect(text).toContain(
      `inject = ["node", "containers.mjs", "inject", "${id}", "fault=pause", "engine=${engine}", "${target}]\n`,
    );
    expect(text).toContain(`# Needs: ${engine}\n`);
    expect(text.match(/^name = "replicas"$/gm)?.length).toBe(words[0] === '--name' ? undefined : 7);
    expect(text.match(/"network="/g)?.length).toBe(3);
    expect(await perturb(['mutators', 'lint'], { cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'containers.mjs'), 'utf8')).toMatch(
      /^\/\*\n \* Disturbs Docker or Podman containers\./,
    );
  },
);

test.each([
  [['kee'], 'unknown kind "kee"\ndid you mean "key"?'],
  [['key', '--key', 'a', '--range', '0..1'], 'key needs --file'],
  [['key', '--file', 'a.json', '--key', 'a'], 'key needs --range or --values'],
  [
    ['container', '--engine', 'nerdctl'],
    "option '--engine <engine>' argument 'nerdctl' is invalid. Allowed choices are docker, podman.",
  ],
  [['container'], 'container needs one of --name or --label or --service'],
  [
    ['container', '--name', 'web', '--label', 'app=web'],
    'container needs one of --name or --label or --service',
  ],
  [
    ['key', '--file', 'a.json', '--key', 'a', '--range', '0..1', '--values', 'a'],
    'key accepts only one of --range or --values',
  ],
  [
    ['key', '--file', 'a.json', '--key', 'a', '--range', 'low..high'],
    '--range low..high: expected two numbers, as in 0..40',
  ],
  [
    ['key', '--file', 'a.json', '--key', 'a..b', '--range', '0..1'],
    '--key a..b: expected keys separated by dots, as in wind.speed',
  ],
  [['pause'], 'pause needs one of --pid-file or --group or --unit'],
  [['kill', '--unit', 'a', '--pid-file', 'b'], 'kill needs one of --pid-file or --group or --unit'],
  [['partition', '--namespace', 'a'], 'partition needs --address or --port'],
  [['netem'], 'netem needs --interface'],
  [
    ['key', '--file', 'a.json', '--listen', 'x:1'],
    'key has no option --listen\nIts options: --file, --key, --range, --values.',
  ],
  [
    ['proxy', '--port', '1'],
    'proxy has no option --port\nIts options: --listen, --upstream, --mode.',
  ],
])('%j is refused, and writes nothing', async (words, message) => {
  const cwd = directoryWith({});
  expect(await perturb([...NEW, ...words], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: `perturb: ${message}\n`,
  });
  expect(readdirSync(cwd)).toEqual([]);
});

test('what stands in a manifest stays, byte for byte, and what is added has its line ends', async () => {
  const mine =
    '\uFEFF# mine \r\n[[mutator]]\r\nname = "a"\r\n[mutator.actuator]\r\nkind = "exec"\r\ninject = ["x"]\r\nreset = ["x"] \r\n# end  ';
  const cwd = directoryWith({ 'mutators.toml': mine });
  const words = [...KEY, '--key', 'wind', '--range', '0..9'];
  expect((await perturb(words, { cwd })).code).toBe(0);
  const after = readFileSync(join(cwd, 'mutators.toml'), 'utf8');
  expect(after.startsWith(`${mine}\r\n\r\n# A key of`)).toBe(true);
  expect(after.match(/[^\r]\n/g)).toBe(null);
  expect((await perturb(['mutators', 'lint'], { cwd })).code).toBe(0);

  const foreign = Buffer.from('# caf\xe9\n', 'latin1');
  writeFileSync(join(cwd, 'mutators.toml'), foreign);
  const { code, stderr } = await perturb(words, { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing was written')]);
  expect(readFileSync(join(cwd, 'mutators.toml')).equals(foreign)).toBe(true);
});

test('what would have errors is not printed, and a missing directory is named', async () => {
  const cwd = directoryWith({});
  const words = [...KEY, '--key', 'wind', '--manifest'];
  expect(await perturb([...words, '-', '--range', '5..1'], { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('the lower bound 5 is above the upper bound 1'),
  });
  expect(await perturb([...words, 'no/m.toml', '--range', '1..5'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'perturb: there is no directory no for the manifest\n',
  });
});

test.each([
  ['proxy', '--mode', ['udp', 'HTTP', ''], 'tcp or http'],
  ['proxy', '--listen', ['7001', 'localhost:', ':1:65536'], 'HOST:PORT, as in 127.0.0.1:7001'],
  ['partition', '--port', ['0', '65536', '80,443', 'http'], 'a port from 1 to 65535'],
  [
    'partition',
    '--address',
    ['192.0.2.0/24', 'db.local', '0.0.0.0', '::'],
    'the IP address of one host, as in 192.0.2.1',
  ],
  ['netem', '--interface', ['eth*', '-batch', ''], 'one name, without wildcards'],
  ['container', '--label', ['app', '=web', 'app=', '-f=x'], 'KEY=VALUE'],
  ['container', '--service', ['*', 'a/b/c', '-x', 'a/'], 'SERVICE, or PROJECT/SERVICE'],
  ['container', '--name', ['-x', 'web*'], 'letters, digits, ., - and _'],
  ['kill', '--unit', ['*', 'web-?.service', '-.slice'], 'one name, without wildcards'],
])('%s %s takes nothing of %j', async (kind, flag, values, says) => {
  for (const value of values) {
    const { code, stderr } = await perturb([...NEW, kind, `${flag}=${value}`, '--manifest', '-']);
    expect([value, code, stderr]).toEqual([value, 2, expect.stringContaining(`Expected ${says}.`)]);
  }
});

test('a value that could end a string of the manifest is refused', async () => {
  const forbidden = 'Expected a text without quotes, backslashes or line breaks.';
  for (const [file, says] of [
    ['a"b', forbidden],
    ['a\\b', forbidden],
    ['a\nb', forbidden],
    ['', 'Expected a path.'],
  ]) {
    const { code, stderr } = await perturb([...NEW, 'key', '--file', file as string]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says as string)]);
  }
});
