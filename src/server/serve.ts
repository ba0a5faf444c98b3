import { escapeAsJson } from '../basics/index.js';
import { defined } from '../values/index.js';
import { buildApp } from './api/app.js';
import { limitsFor } from './api/http-server.js';
import type { LifecycleHost } from './host/host-lifecycle.js';
import { openFileLimit, openHost, shareOut } from './host/open-host.js';
import type { ResidualMutation } from './host/shutdown.js';
import { type Process, watchShutdownTriggers } from './host/shutdown-trigger.js';
import { createLogger, type LogOptions, redact } from './observe/logging.js';
import { logBeginning, logEvent, logKeys, logProcess, logTrigger } from './observe/server-log.js';
import { closeAround, listen } from './startup/address.js';
import { planServer, type ServeOptions, type ServerPlan } from './startup/plan.js';
import { startProcesses } from './startup/processes.js';
import {
  apiUrl,
  banner,
  describeResidual,
  describeTakenPort,
  explainPort,
} from './startup/texts.js';

/** The server's interface to its process. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly process: Process;
  /** Writes texts for people, and lines of the log; returns false if one was dropped. Must not block. */
  readonly write: (text: string) => boolean;
  /** Ends the process at once. */
  readonly exit: (ended: ServerEnd) => void;
}

/** The end of a server. */
export interface ServerEnd {
  /** Residual mutations. */
  readonly left: readonly ResidualMutation[];
  /** The bug that ended it, if any. */
  readonly error?: unknown;
}

/** The log options of a server. */
export type Log = Pick<LogOptions, 'format' | 'level' | 'color'>;

/** Grace period for operations before resets begin. */
const GRACE_MS = 10_000;

/**
 * Serves mutators until there is a reason to end, and then resets all mutators. Rejects with a ServeError, a
 * StateError or an ActuatorError if it cannot start.
 */
export async function serveMutators(
  options: ServeOptions,
  log: Log,
  server: ServerProcess,
): Promise<ServerEnd> {
  const plan = await planServer(options, server.env, (problem) => logKeys(logger, problem));
  const logger = createLogger({ ...log, write: server.write, secrets: plan.secrets });
  const say = (text: string) => void server.write(escapeAsJson(redact(text, plan.secrets())));
  const times = { graceMs: GRACE_MS, timeoutMs: options.shutdownMs };
  let host: LifecycleHost | undefined;
  let endProcesses = async () => {};
  let bound: ServerPlan = plan;
  const triggers = watchShutdownTriggers({
    process: server.process,
    plugin: plan.plugin || options.untilStdinEnds === true,
    ...defined({ parentPid: options.parentPid }),
    onSecondSignal() {
      const residual = host?.abandon() ?? [];
      say(describeResidual(residual));
      server.exit({ left: residual });
    },
    onError: (error) => logger.fatal({ event: 'bug', err: error }, 'another error'),
  });
  try {
    host = await openHost({
      mutators: options.mutators,
      directory: options.manifestDirectory,
      stateDirectory: options.stateDirectory,
      environment: server.env,
      secretVariables: plan.secretVariables,
      adoptState: options.adoptState,
      events: (event) => logEvent(logger, event),
    });
    logBeginning(logger, host);
    endProcesses = await startProcesses(options.processes ?? [], {
      directory: options.manifestDirectory,
      environment: server.env,
      secretVariables: plan.secretVariables,
      events: (event) => logProcess(logger, event),
    });
    const recovering = host.recover({ forgetMissing: options.forgetMissing });
    // A signal may arrive while it cleans up after an earlier crash.
    const recovery = await Promise.race([recovering, triggers.first.then(() => undefined)]);
    if (recovery !== undefined && recovery.left.length > 0) {
      host.abandon();
      say(describeResidual(recovery.left));
      if (host.unusable === undefined) return { left: recovery.left };
    }
    if (recovery !== undefined && host.unusable !== undefined) throw host.unusable;
    const limits = limitsFor(shareOut(openFileLimit()).connections);
    const { orphansMs } = options;
    const app = buildApp({ ...plan, host, logger, limits, ...defined({ orphansMs }) });
    if (triggers.current() === undefined) {
      const help = explainPort(plan, options.port);
      bound = { ...plan, port: await listen(app, plan, help) };
      announce();
    }
    const gone = host.gone.then((error) => ({ kind: 'state', error }) as const);
    const trigger = await Promise.race([triggers.first, gone]);
    logTrigger(logger, trigger);
    const { left } = await closeAround(app, () => (host as LifecycleHost).shutdown(times));
    say(describeResidual(left));
    if (trigger.kind === 'state' && left.length === 0) throw trigger.error;
    return { left, ...(trigger.kind === 'error' && { error: trigger.error }) };
  } catch (error) {
    // On any error, nothing may stay mutated.
    await host?.shutdown(times);
    throw error;
  } finally {
    await endProcesses();
    plan.keys?.close();
    triggers.stop();
  }

  function announce(): void {
    if (log.format === 'pretty') say(banner(bound, options));
    else {
      const taken = describeTakenPort(bound);
      if (taken !== undefined) logger.warn({ event: 'port', port: bound.port }, taken);
      logger.info(
        { event: 'start', url: apiUrl(bound), mutators: options.mutators.length },
        'serving',
      );
    }
  }
}
