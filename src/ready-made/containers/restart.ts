import { setTimeout as delay } from 'node:timers/promises';
import { run, runDetached } from '../shared/command.js';
import type { ScriptSettings } from '../shared/script.js';
import { type Container, inspect, isUp } from './engine.js';
import { describeTarget, findReplacements } from './target.js';

/** A container between a start and the next exit. */
export interface Instance {
  readonly id: string;
  readonly startedAt: string;
}

const RETRY_MS = 50;
/** Time after its start at which a container without a health check counts as ready. */
const READY_MS = 1_000;

/** Returns the instance's container; undefined if the container has exited or been restarted since. */
function findRunning(engine: string, { id, startedAt }: Instance): Container | undefined {
  const container = inspect(engine, id);
  return container !== undefined && isUp(container) && container.startedAt === startedAt
    ? container
    : undefined;
}

/** Waits until the container exits, up to the actuator's timeout. */
export async function awaitContainerEnd(engine: string, instance: Instance): Promise<void> {
  while (findRunning(engine, instance) !== undefined) await delay(RETRY_MS);
}

/**
 * Starts containers that have exited or are about to exit, unless something else has already started them. Waits until
 * each container is ready.
 *
 * @throws Error for a container that exits again, or that was removed without a replacement
 */
export async function restartContainer(
  engine: string,
  settings: ScriptSettings,
  instances: readonly Instance[],
): Promise<void> {
  const startedIds: string[] = [];
  for (const instance of instances) {
    // Podman does not start a container while an interrupted stop is unfinished. A container that received a signal may
    // be about to exit.
    if (findRunning(engine, instance)) run(engine, ['stop', '-t', '0', instance.id]);
    await awaitContainerEnd(engine, instance);
    const container = inspect(engine, instance.id);
    if (container === undefined) {
      if (findReplacements(engine, settings).length > 0) continue;
      throw new Error(
        `${describeTarget(settings)} was removed and has no replacement. Start a new container.`,
      );
    }
    if (container.status !== 'restarting' && !isUp(container)) start(engine, instance.id);
    startedIds.push(instance.id);
  }
  for (const id of startedIds) await awaitReady(engine, id);
}

function start(engine: string, id: string): void {
  try {
    runDetached(engine, ['start', id]);
  } catch (error) {
    if (engine !== 'podman') throw error;
    // Only this command removes the remains of an interrupted start.
    run(engine, ['container', 'cleanup', id]);
    runDetached(engine, ['start', id]);
  }
}

async function awaitReady(engine: string, id: string): Promise<void> {
  let readySince: { readonly startedAt: string; readonly at: number } | undefined;
  for (;;) {
    const container = inspect(engine, id);
    if (container === undefined) return;
    if (container.health === undefined && container.status === 'running') {
      if (readySince?.startedAt !== container.startedAt)
        readySince = { ...container, at: performance.now() };
      if (performance.now() - readySince.at >= READY_MS) return;
    }
    if (container.health !== undefined && isUp(container) && isHealthy(engine, container)) return;
    if (!isUp(container) && container.status !== 'restarting') {
      const lines = run(engine, ['logs', '--tail', '5', id]).trim();
      throw new Error(`the container ${container.name} exited again${lines && `: ${lines}`}`);
    }
    await delay(RETRY_MS);
  }
}

/** True if the health check succeeds. Podman runs health checks automatically only with systemd. */
function isHealthy(engine: string, { id, health }: Container): boolean {
  if (engine !== 'podman') return health === 'healthy';
  try {
    runDetached(engine, ['healthcheck', 'run', id]);
    return true;
  } catch {
    return false;
  }
}
