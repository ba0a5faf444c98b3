import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isLong } from '../long.js';
import { runScenario } from './harness/run-scenario.js';
import { scenarios } from './scenarios/index.js';

/** Attacks that other tests make too: these run here in the long form, as in `npm run adversary`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'many-file': 'test/server/matrix.test.ts',
  'many-http': 'test/server/matrix.test.ts',
  'many-module': 'test/server/matrix.test.ts',
  kills: 'test/server/host/kill.test.ts',
  'reflector-kills': 'test/server/reflector.test.ts',
  'planted-state': 'test/server/host/trust.test.ts',
  'directory-owner': 'test/actuators/file-races.test.ts',
  'ready-proxy': 'test/server/faults/proxy.test.ts',
  'ready-netem': 'test/server/faults/network.test.ts',
  'ready-pause': 'test/server/faults/process.test.ts',
  'damaged-store': 'test/store/damage.test.ts',
  'broken-database': 'test/store/connection.test.ts',
  'hostile-answers': 'test/mutators/client/bounds.test.ts',
  'run-kills': 'test/runner/run/kill.test.ts',
  'run-terminal': 'test/runner/run/closed-terminal.test.ts',
  'run-commands': 'test/runner/run/hostile-command.test.ts',
  'run-servers': 'test/runner/run/run.test.ts',
  'run-journal': 'test/runner/run/refused-resume.test.ts',
  'run-force': 'test/runner/run/own-server.test.ts',
  'run-together': 'test/runner/run/own-server.test.ts',
  'run-outages': 'test/runner/run/outages.test.ts',
  'run-benches': 'test/runner/run/benches.test.ts',
  'run-resumed': 'test/runner/run/report.test.ts',
  'run-bug': 'test/runner/run/hostile-command.test.ts',
  'run-receiver': 'test/runner/run/events.test.ts',
  'untrusted-editor': 'test/editor/catalogs.test.ts',
  'planted-code': 'test/cli/code-cache.test.ts',
  'endless-files': 'test/cli/inputs.test.ts',
  'planted-store': 'test/store/planted.test.ts',
  'foreign-config': 'test/cli/foreign-config.test.ts',
  'acting-names': 'test/cli/terminal-output.test.ts',
};

describe('under attack', () => {
  const here = scenarios.filter(({ name }) => isLong || ELSEWHERE[name] === undefined);
  test.each(here.map((scenario) => [scenario.promise, scenario] as const))(
    '%s',
    async (_, scenario) => {
      const { broken } = await runScenario(scenario, 'small');
      expect(broken).toEqual([]);
    },
    660_000,
  );

  test('each has a name of its own', () => {
    const names = scenarios.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('those that other tests make exist, as do the tests', () => {
    const names: readonly string[] = scenarios.map(({ name }) => name);
    for (const [name, path] of Object.entries(ELSEWHERE)) {
      expect([name, names.includes(name), existsSync(path)]).toEqual([name, true, true]);
    }
  });
});
