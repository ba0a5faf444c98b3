import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHost } from '../host/open-host.js';
import { planServer, type ServeOptions } from './plan.js';
import { describePlan } from './texts.js';

/**
 * Loads all that a server needs and says what it would serve, without
 * listening, and without touching the system or its state. Rejects as `serve`.
 */
export async function tryOut(
  options: ServeOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const plan = await planServer(options, env, () => {});
  plan.keys?.close();
  const scratch = await mkdtemp(join(tmpdir(), 'perturb-dry-run-'));
  try {
    const host = await openHost({
      mutators: options.mutators,
      directory: options.manifestDirectory,
      stateDirectory: scratch,
      environment: env,
      events: () => {},
    });
    await host.shutdown({ graceMs: 0, timeoutMs: 0 });
  } finally {
    await rm(scratch, { recursive: true });
  }
  return describePlan(plan, options);
}
