import { setTimeout as delay } from 'node:timers/promises';
import { run, runDetached } from '../shared/command.js';
import type { ScriptSettings } from '../shared/script.js';
import { type Container, inspect, isUp } from './engine.js';
import { replacements, targetText } from './target.js';

/** One run of a container; each start begins another. */
export interface Instance {
  readonly id: string;
  readonly startedAt: string;
}

const RETRY_MS = 50;
/** Time after which a container without a health check counts as ready. */
const READY_MS = 1_000;

/** Returns the container during one run; undefined after it. */
function during(engine: string, { id, startedAt }: Instance): Container | undefined {
  const now = inspect(engine, id);
  return now !== undefined && isUp(now) && now.startedAt === startedAt ? now : undefined;
}

/** Waits for the end of the run, limited by the actuator's timeout. */
export async function ended(engine: string, instance: Instance): Promise<void> {
  while (during(engine, instance) !== undefined) await delay(RETRY_MS);
}

/**
 * Starts containers whose runs have ended, or are about to, unless something else has; waits until each is ready.
 *
 * @throws Error for one that ends again, or is gone and has no replacement
 */
export async function startAgain(
  engine: string,
  settings: ScriptSettings,
  instances: readonly Instance[],
): Promise<void> {
  const started: string[] = [];
  for (const instance of instances) {
    // Podman does not start a container whose stop was interrupted. A signalled one may be about to end.
    if (during(engine, instance)) run(engine, ['stop', '-t', '0', instance.id]);
    await ended(engine, instance);
    const now = inspect(engine, instance.id);
    if (now === undefined) {
      if (replacements(engine, settings).length > 0) continue;
      throw new Error(
        `${targetText(settings)} was removed meanwhile, and nothing runs in its place: start it`,
      );
    }
    if (now.status !== 'restarting' && !isUp(now)) start(engine, instance.id);
    started.push(instance.id);
  }
  for (const id of started) await ready(engine, id);
}

function start(engine: string, id: string): void {
  try {
    runDetached(engine, ['start', id]);
  } catch (error) {
    if (engine !== 'podman') throw error;
    // An interrupted start leaves remains that only this removes.
    run(engine, ['container', 'cleanup', id]);
    runDetached(engine, ['start', id]);
  }
}

async function ready(engine: string, id: string): Promise<void> {
  let since: { readonly startedAt: string; readonly at: number } | undefined;
  for (;;) {
    const now = inspect(engine, id);
    if (now === undefined) return;
    if (now.health === undefined && now.status === 'running') {
      if (since?.startedAt !== now.startedAt) since = { ...now, at: performance.now() };
      if (performance.now() - since.at >= READY_MS) return;
    }
    if (now.health !== undefined && isUp(now) && isHealthy(engine, now)) return;
    if (!isUp(now) && now.status !== 'restarting') {
      const lines = run(engine, ['logs', '--tail', '5', id]).trim();
      throw new Error(`the container ${now.name} has ended again${lines && `: ${lines}`}`);
    }
    await delay(RETRY_MS);
  }
}

/** True if the health check succeeds. Podman runs one by itself only with systemd. */
function isHealthy(engine: string, { id, health }: Container): boolean {
  if (engine !== 'podman') return health === 'healthy';
  try {
    runDetached(engine, ['healthcheck', 'run', id]);
    return true;
  } catch {
    return false;
  }
}
