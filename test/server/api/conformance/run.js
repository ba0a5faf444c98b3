/*
 * Examines any mutator server: its answers to each row of the status tables.
 * The mutators are reset on the way, and one is injected.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const USAGE =
  'usage: npm run conformance -- --url URL [--api-key-env VAR] [--failing-mutator ID]\n';

const { url, 'api-key-env': variable, 'failing-mutator': failing, help } = readArguments();
if (help) {
  process.stdout.write(USAGE);
  process.exit();
}
const key = variable === undefined ? undefined : process.env[variable];
if (url === undefined) refuse(USAGE);
if (variable !== undefined && !key) refuse(`the variable ${variable} contains no key\n`);
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

function readArguments() {
  try {
    return parseArgs({
      options: {
        url: { type: 'string' },
        'api-key-env': { type: 'string' },
        'failing-mutator': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

/** @param {string} problem @returns {never} */
function refuse(problem) {
  process.stderr.write(problem);
  process.exit(2);
}
