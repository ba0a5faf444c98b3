import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isLong } from '../long.js';
import { runScenario } from './harness/run-scenario.js';
import { scenarios } from './scenarios/index.js';

/** Series of what another test does once: these run here in the long form, as in `npm run adversary`. */
const SERIES: Readonly<Record<string, string>> = {
  'many-file': 'test/server/matrix.test.ts',
  'many-exec': 'test/server/matrix.test.ts',
  'many-http': 'test/server/matrix.test.ts',
  'many-module': 'test/server/matrix.test.ts',
  kills: 'test/server/host/kill.test.ts',
  'reflector-kills': 'test/server/reflector.test.ts',
  'ready-proxy': 'test/server/faults/proxy.test.ts',
  'ready-netem': 'test/server/faults/network.test.ts',
  'ready-pause': 'test/server/faults/process.test.ts',
  'ready-kill': 'test/server/faults/process.test.ts',
  'ready-partition': 'test/server/faults/network.test.ts',
  'ready-stress': 'test/server/faults/machine.test.ts',
  'ready-disk': 'test/server/faults/machine.test.ts',
  'directory-owner': 'test/actuators/file-races.test.ts',
  'idle-tls': 'test/server/api/tls.test.ts',
  'run-kills': 'test/runner/run/kill.test.ts',
  'run-commands': 'test/runner/run/run.test.ts',
  'run-servers': 'test/runner/run/run.test.ts',
  'run-disk': 'test/runner/run/run.test.ts',
  'run-together': 'test/runner/run/own-server.test.ts',
  'run-outages': 'test/runner/run/outages.test.ts',
  'run-benches': 'test/runner/run/benches.test.ts',
  'run-resumed': 'test/runner/run/report.test.ts',
  'nginx-log': 'test/runner/run/followed-logs.test.ts',
  'verdict-http-service': 'test/docs/documents.test.ts',
  'verdict-message-queue': 'test/docs/documents.test.ts',
  'verdict-database': 'test/docs/documents.test.ts',
  'verdict-robot': 'test/docs/documents.test.ts',
};

describe('under attack', () => {
  const here = scenarios.filter(({ name }) => isLong || SERIES[name] === undefined);
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

  test('the series exist, as do the tests that do the same once', () => {
    const names: readonly string[] = scenarios.map(({ name }) => name);
    for (const [name, path] of Object.entries(SERIES)) {
      expect([name, names.includes(name), existsSync(path)]).toEqual([name, true, true]);
    }
  });
});
