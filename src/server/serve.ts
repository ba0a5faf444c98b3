import { defined } from '../values/index.js';
import { openApiDocument } from './api/api.js';
import { buildApp } from './api/app.js';
import { limitsFor } from './api/http-server.js';
import type { LifecycleHost } from './host/host-lifecycle.js';
import { openFileLimit, openHost, shareOut } from './host/open-host.js';
import type { ResidualMutation } from './host/shutdown.js';
import { type Process, watchShutdownTriggers } from './host/shutdown-trigger.js';
import { type Admin, startAdmin } from './observe/admin.js';
import { createLogger, escapeActing, type LogOptions, redact } from './observe/logging.js';
import type { Metrics } from './observe/metrics.js';
import { logBeginning, logEvent, logKeys, logTrigger } from './observe/server-log.js';
import { closeAround, listen } from './startup/address.js';
import { planServer, type ServeOptions, type ServerPlan } from './startup/plan.js';
import { apiUrl, banner, describeResidual, describeTakenPort } from './startup/texts.js';

/** What a server uses of the outside world. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly process: Process;
  /** Takes texts for people, and lines of the log; false where one was dropped. Must not block. */
  readonly write: (text: string) => boolean;
  /** Ends the process at once. */
  readonly exit: (ended: ServerEnd) => void;
  /** Of Perturb. */
  readonly version: string;
}

/** How a server ended. */
export interface ServerEnd {
  /** Mutators that may be left mutated. */
  readonly left: readonly ResidualMutation[];
  /** The bug that ended it, if one did. */
  readonly error?: unknown;
}

/** How a server is to log. */
export type Log = Pick<LogOptions, 'format' | 'level' | 'color'>;

/** How long operations may go on before resets begin. */
const GRACE_MS = 10_000;

/** The metrics of a host, which nobody can read without an admin port; what counts them is slow to load. */
async function countFor(host: () => LifecycleHost | undefined): Promise<Metrics> {
  const { createMetrics } = await import('./observe/metrics.js');
  return createMetrics({
    status: () => host()?.status() ?? [],
    journalSize: () => host()?.journalSize ?? 0,
  });
}

/**
 * Serves mutators until there is a reason to end, and then resets what is
 * mutated. Rejects with a ServeError, a StateError or an ActuatorError when it
 * cannot be started.
 */
export async function serveMutators(
  options: ServeOptions,
  log: Log,
  around: ServerProcess,
): Promise<ServerEnd> {
  const plan = await planServer(options, around.env, (problem) => logKeys(logger, problem));
  const logger = createLogger({ ...log, write: around.write, secrets: plan.secrets });
  const say = (text: string) => void around.write(escapeActing(redact(text, plan.secrets())));
  const times = { graceMs: GRACE_MS, timeoutMs: options.shutdownMs };
  let host: LifecycleHost | undefined;
  let admin: Admin | undefined;
  let isReady = false;
  let bound: ServerPlan = plan;
  const metrics = options.adminPort === undefined ? undefined : await countFor(() => host);
  const triggers = watchShutdownTriggers({
    process: around.process,
    plugin: plan.plugin,
    ...defined({ parentPid: options.parentPid }),
    onSecondSignal() {
      const left = host?.abandon() ?? [];
      say(describeResidual(left));
      around.exit({ left });
    },
    onError: (error) => logger.fatal({ event: 'bug', err: error }, 'another error'),
  });
  try {
    if (options.adminPort !== undefined && metrics !== undefined) {
      const openApi = () => openApiDocument({ version: around.version, url: apiUrl(bound) });
      admin = await startAdmin(options.adminPort, {
        metrics,
        openApi,
        isReady: () => isReady,
        failing: () => (host?.status() ?? []).flatMap((one) => (one.failures > 0 ? [one.id] : [])),
      });
    }
    host = await openHost({
      mutators: options.mutators,
      directory: options.manifestDirectory,
      stateDirectory: options.stateDirectory,
      environment: around.env,
      secretVariables: plan.secretVariables,
      adoptState: options.adoptState,
      events(event) {
        logEvent(logger, event);
        metrics?.onEvent(event);
      },
    });
    logBeginning(logger, host);
    const recovering = host.recover({ forgetMissing: options.forgetMissing });
    // Somebody may lose patience while it cleans up after an earlier crash.
    const recovery = await Promise.race([recovering, triggers.first.then(() => undefined)]);
    if (recovery !== undefined && recovery.left.length > 0) {
      host.abandon();
      say(describeResidual(recovery.left));
      if (host.unusable === undefined) return { left: recovery.left };
    }
    if (recovery !== undefined && host.unusable !== undefined) throw host.unusable;
    const limits = limitsFor(shareOut(openFileLimit()).connections);
    const counted = metrics && { onAnswer: metrics.onAnswer };
    const app = buildApp({ ...plan, host, logger, limits, ...counted });
    if (triggers.current() === undefined) {
      bound = { ...plan, port: await listen(app, plan) };
      isReady = true;
      announce();
    }
    const gone = host.gone.then((error) => ({ kind: 'state', error }) as const);
    const trigger = await Promise.race([triggers.first, gone]);
    isReady = false;
    logTrigger(logger, trigger);
    // First: resets need the files that its connections hold.
    admin?.close();
    const { left } = await closeAround(app, () => (host as LifecycleHost).shutdown(times));
    say(describeResidual(left));
    if (trigger.kind === 'state' && left.length === 0) throw trigger.error;
    return { left, ...(trigger.kind === 'error' && { error: trigger.error }) };
  } catch (error) {
    // Whatever went wrong, nothing stays mutated.
    await host?.shutdown(times);
    throw error;
  } finally {
    admin?.close();
    plan.keys?.close();
    triggers.stop();
  }

  function announce(): void {
    if (log.format === 'pretty') say(banner(bound, options, admin?.url));
    else {
      const urls = { url: apiUrl(bound), ...(admin && { admin: admin.url }) };
      const taken = describeTakenPort(bound);
      if (taken !== undefined) logger.warn({ event: 'port', port: bound.port }, taken);
      logger.info({ event: 'start', ...urls, mutators: options.mutators.length }, 'serving');
    }
  }
}
