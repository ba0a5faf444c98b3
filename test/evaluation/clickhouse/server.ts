import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A ClickHouse server's URL, or the directory of chDB; `.ci/chdb` installs that where this looks. */
const SERVER = process.env['PERTURB_TEST_CLICKHOUSE_URL'];
const usual = join(tmpdir(), 'perturb-chdb-3.4.0/node_modules/chdb');
const CHDB = process.env['PERTURB_TEST_CHDB'] ?? (existsSync(usual) ? usual : undefined);

/** Whether there is an engine to test on. */
export const hasClickHouse = SERVER !== undefined || CHDB !== undefined;

/** Whether there is one that a test has for itself. */
export const hasChdb = CHDB !== undefined;

export interface TestServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** The server that the tests are given, or chDB behind a front of their own. */
export async function startClickHouse(): Promise<TestServer> {
  return SERVER === undefined ? startChdb() : { url: SERVER, stop: async () => undefined };
}

/** An engine of its own, with an empty database `default`; for one user, where it gets `NAME:PASSWORD`. */
export async function startChdb(credentials = ''): Promise<TestServer> {
  const front = fileURLToPath(new URL('front.cjs', import.meta.url));
  const child = spawn(process.execPath, [front, CHDB as string, credentials], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  return {
    url: `http://127.0.0.1:${String(port).trim()}`,
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
