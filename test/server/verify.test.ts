import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { serveIn } from './faults/ready-made.js';
import { inject, reset } from './programs/server-program.js';

/** A system with a switch, the file `on`, and checks, which are shell commands. */
function directoryOf(injected: string, afterReset: string): string {
  return directoryWith({
    'mutators.toml': `[[mutator]]
name = "m"
[mutator.actuator]
kind = "exec"
inject = ["touch", "on"]
reset = ["rm", "-f", "on"]
timeout = "3s"
[mutator.verify]
injected = { command = ["sh", "-c", "${injected}"] }
reset = { command = ["sh", "-c", "${afterReset}"] }
`,
  });
}

test('an injection that cannot be verified is undone', async () => {
  const cwd = directoryOf('test -e effect', 'test ! -e on');
  const { url, said } = await serveIn(cwd);
  expect([await inject(url, 'm'), existsSync(join(cwd, 'on'))]).toEqual([500, false]);
  await said(
    /injection failed: m: the injection cannot be verified: the command "sh" ended with code 1/,
  );
  writeFileSync(join(cwd, 'effect'), '');
  expect([await inject(url, 'm'), existsSync(join(cwd, 'on'))]).toEqual([201, true]);
}, 60_000);

test('a reset that cannot be verified has failed, and is retried', async () => {
  const cwd = directoryOf('true', 'test -e well');
  const { url, said, child, exit } = await serveIn(cwd);
  expect([await inject(url, 'm'), await reset(url, 'm')]).toEqual([201, 500]);
  await said(/reset failed: m: the reset cannot be verified: the command "sh" ended with code 1/);
  writeFileSync(join(cwd, 'well'), '');
  await said(/reset m \(retry/);
  child.kill('SIGTERM');
  expect((await exit).code).toBe(0);
}, 60_000);

test('a reset of a start after a crash is verified too', async () => {
  const cwd = directoryOf('true', 'echo >> tries; test $(wc -l < tries) -ge 3');
  const first = await serveIn(cwd);
  expect(await inject(first.url, 'm')).toBe(201);
  first.child.kill('SIGKILL');
  await first.exit;
  await serveIn(cwd);
  expect([existsSync(join(cwd, 'on')), readFileSync(join(cwd, 'tries'), 'utf8')]).toEqual([
    ...[false, '\n\n\n'],
  ]);
}, 60_000);
