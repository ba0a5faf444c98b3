import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The `key=value` arguments of a command line. */
export type ScriptSettings = Readonly<Record<string, string | undefined>>;

/** A mutation's parameters. The server has checked them against the manifest. */
export type Params = Readonly<Record<string, unknown>>;

export type Action = (
  name: string,
  settings: ScriptSettings,
  params: Params,
) => void | Promise<void>;

/**
 * Runs the action named on the command line, with the mutator's name and settings. Reports a failure on stderr, and
 * sets exit status 1.
 */
export async function runScript(actions: Readonly<Record<string, Action>>): Promise<void> {
  const [, , word = '', name = '', ...words] = process.argv;
  try {
    const action = Object.hasOwn(actions, word) ? actions[word] : undefined;
    if (action === undefined) {
      throw new Error(`usage: ${Object.keys(actions).join('|')} NAME key=value ...`);
    }
    const settings: ScriptSettings = Object.fromEntries(
      words.map((word): readonly [string, string] => {
        const [key = '', value = ''] = word.split(/=(.*)/s, 2);
        return [key, value];
      }),
    );
    const params = /^(?:inject|verify)/.test(word)
      ? JSON.parse(await text(process.stdin)).params
      : {};
    await lock([name, settings['fault']].join('-'));
    await action(name, settings, params);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

const RETRY_MS = 20;

/**
 * Waits until no other process, such as a second server's, is changing the state with a name in this directory. On
 * Linux, an abstract socket serves as the lock, which a process releases by exiting.
 */
async function lock(name: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const { dev, ino } = statSync('.');
  for (;;) {
    const server = createServer().unref();
    server.listen(`\0perturb-${dev}-${ino}-${name}`);
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
      await delay(RETRY_MS);
    }
  }
}
