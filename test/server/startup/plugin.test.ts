import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planServer, type ServeOptions } from '../../../src/server/startup/plan.js';
import { installPlugin, readPluginConfig } from '../../../src/server/startup/plugin.js';
import {
  describeDefaultPort,
  explainPort,
  formatBanner,
} from '../../../src/server/startup/texts.js';
import { directoryWith } from '../../cli/program.js';

function read(config: string | undefined, env: Record<string, string> = {}, prefix = 'PLATFORM') {
  const directory = directoryWith(config === undefined ? {} : { 'reflector.toml': config });
  const path = join(directory, 'reflector.toml');
  return readPluginConfig({ [`${prefix}_REFLECTOR_CONFIG`]: path, ...env }, prefix);
}

test('reads the port and the token that a reflector gives', () => {
  const config = 'x = 1\n[mutation]\nmutator-http-api-port = 9009\nexternal-mutator-urls = []\n';
  expect(read(config)).toEqual({ port: 9009 });
  expect(read('mutation.mutator-http-api-port = 0x1f', { PLATFORM_AUTH_TOKEN: 't' })).toEqual({
    port: 31,
    token: 't',
  });
  expect(read(config, { OTHER_AUTH_TOKEN: 't' }, 'OTHER')).toEqual({ port: 9009, token: 't' });
});

test('is no plugin without the variable', () => {
  expect(readPluginConfig({})).toBeUndefined();
  expect(readPluginConfig({ PLATFORM_REFLECTOR_CONFIG: '' })).toBeUndefined();
  expect(readPluginConfig({ PLATFORM_REFLECTOR_CONFIG: '/x' }, 'OTHER')).toBeUndefined();
});

test.each([
  ['', 8080, {}],
  ['', 9000, { port: 9000 }],
  ['[mutation]\nmutator-http-api-port = 9009', 9009, {}],
] as const)(
  'with %j it takes port %i, and says so where none is named',
  async (config, port, more) => {
    const directory = directoryWith({ 'reflector.toml': config });
    const options: ServeOptions = {
      mutators: [],
      manifestDirectory: directory,
      stateDirectory: directory,
      allowUnauthenticated: false,
      requireAuthToken: false,
      forgetMissing: false,
      adoptState: false,
      shutdownMs: 1,
      ...more,
    };
    const env = { PLATFORM_REFLECTOR_CONFIG: join(directory, 'reflector.toml') };
    const plan = await planServer(options, env, () => {});
    const said = `The reflector's configuration sets no port in mutation.mutator-http-api-port, so the port is ${port}`;
    const named = config !== '';
    expect([plan.port, describeDefaultPort(plan)]).toEqual([port, named ? undefined : said]);
    const why =
      options.port === undefined
        ? `${said}. Set a port there.`
        : "The plugin was installed with this --port, which overrides the reflector's configuration. Install the plugin with another port.";
    if (!named) expect(explainPort(plan, options.port)).toBe(why);
    expect(formatBanner(plan, options).split('\n')).toEqual([
      `Serving 0 mutators at http://127.0.0.1:${port}`,
      ...(named ? [] : [said]),
      'Ctrl-C resets active mutations and stops the server.',
      '',
    ]);
  },
);

test.each(['', 'mutation = 1', '[mutation]\nother = 1'])('%j names no port', (config) => {
  expect(read(config)).toEqual({});
});

test.each([
  [undefined, /^cannot read ".*reflector.toml": there is no such file$/],
  [
    '[mutation]\nmutator-http-api-port = "80"',
    /invalid mutation\.mutator-http-api-port: expected an integer from 1 to/,
  ],
  ['[mutation]\nmutator-http-api-port = 0', /invalid mutation\.mutator-http-api-port/],
  ['[mutation]\nmutator-http-api-port = 65536', /invalid mutation\.mutator-http-api-port/],
  ['[mutation]\nmutator-http-api-port = 80.0', /invalid mutation\.mutator-http-api-port/],
  ['[mutation]\nmutator-http-api-port = ', /reflector\.toml:2:\d+: /],
  ['[mutation]\nx = 9223372036854775808', /reflector\.toml:2:5: integer/],
])('says what is wrong with %j', (config, message) => {
  expect(() => read(config)).toThrow(message);
});

const install = (directory: string, command: readonly string[], force = false) =>
  installPlugin({
    ...{ name: 'perturb', directory: join(directory, 'a/b'), command, force },
    parentFlag: '--parent',
  });

test("writes an executable that passes on every argument, and its parent's pid", async () => {
  const directory = directoryWith({});
  const words = ['plain', "it's", '$HOME `x`', 'a "b" \\', '', '*', '-n', 'ü\n'];
  const print = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  const path = await install(directory, [process.execPath, '-e', print, '--', ...words]);
  expect(statSync(path).mode & 0o777).toBe(0o755);
  expect(JSON.parse(execFileSync(path, ['more $x'], { encoding: 'utf8' }))).toEqual([
    ...words,
    ...['--parent', String(process.pid)],
    'more $x',
  ]);
  expect(readdirSync(join(directory, 'a/b'))).toEqual(['perturb']);
});

test('replaces its own file, and that of others only when told', async () => {
  const directory = directoryWith({});
  const path = await install(directory, ['one']);
  await install(directory, ['two']);
  expect(readFileSync(path, 'utf8')).toMatch(/\nexec two --parent "\$PPID" "\$@"\n$/);
  writeFileSync(path, 'something else');
  await expect(install(directory, ['three'])).rejects.toThrow(
    /exists, and Perturb did not write it/,
  );
  expect(readFileSync(path, 'utf8')).toBe('something else');
  await install(directory, ['three'], true);
  expect(readFileSync(path, 'utf8')).toMatch(/\nexec three --parent "\$PPID" "\$@"\n$/);
});

test('says why it cannot be written', async () => {
  const command = { command: ['x'], parentFlag: '--parent' };
  const foreign = { name: '../x', directory: '/tmp', ...command, force: false };
  await expect(installPlugin(foreign)).rejects.toThrow('"../x" is not a valid plugin name');
  const directory = directoryWith({ a: 'a file' });
  await expect(install(directory, ['x'])).rejects.toThrow(/^cannot write ".*a\/b\/perturb": /);
});
