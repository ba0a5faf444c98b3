/*
 * Examines any mutator server: its answers to each row of the status tables.
 * The mutators are reset on the way, and one is injected.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const USAGE =
  'usage: npm run conformance -- --url URL [--api-key-env VAR] [--failing-mutator ID]\n';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    'api-key-env': { type: 'string' },
    'failing-mutator': { type: 'string' },
  },
});
const { url, 'api-key-env': variable, 'failing-mutator': failing } = values;
const key = variable === undefined ? undefined : process.env[variable];
if (url === undefined || (variable !== undefined && !key)) {
  process.stderr.write(url === undefined ? USAGE : `the variable ${variable} holds no key\n`);
  process.exit(2);
}
const { status } = spawnSync(
  'npx',
  ['vitest', 'run', '--config', 'test/vitest.config.ts', 'test/server/api/conformance.test.ts'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CONFORMANCE_URL: url,
      ...(key !== undefined && { CONFORMANCE_KEY: key }),
      ...(failing !== undefined && { CONFORMANCE_FAILING: failing }),
    },
  },
);
process.exitCode = status ?? 1;
