import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { expect } from 'vitest';

/*
 * Set up before each file of the project `unit`: what would start a process or open a socket fails,
 * and says where such a test belongs.
 */

const refuse = (what: string) => (): never => {
  const { testPath } = expect.getState();
  throw new Error(`${testPath} ${what}: list it under another project in test/projects.ts`);
};

childProcess.ChildProcess.prototype['spawn' as never] = refuse('starts a process') as never;
for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) {
  childProcess[name] = refuse('starts a process') as never;
}
net.Socket.prototype.connect = refuse('opens a socket');
net.Server.prototype.listen = refuse('opens a socket');
syncBuiltinESMExports();
