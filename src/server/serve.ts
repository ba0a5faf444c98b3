import { escapeAsJson } from '../basics/index.js';
import { defined } from '../values/index.js';
import { buildApp } from './api/app.js';
import { limitsFor } from './api/http-server.js';
import type { LifecycleHost } from './host/host-lifecycle.js';
import { divideFileLimit, maxOpenFiles, openHost } from './host/open-host.js';
import type { ResidualMutation } from './host/shutdown.js';
import { type Process, watchShutdownTriggers } from './host/shutdown-trigger.js';
import { createLogger, type LogOptions, redact } from './observe/logging.js';
import {
  logEvent,
  logInitialState,
  logKeyChange,
  logProcess,
  logTrigger,
} from './observe/server-log.js';
import { closeAfter, listen } from './startup/address.js';
import { planServer, type ServeOptions, type ServerPlan } from './startup/plan.js';
import { startProcesses } from './startup/processes.js';
import {
  apiUrl,
  describeDefaultPort,
  describeResidualMutations,
  explainPort,
  formatBanner,
} from './startup/texts.js';

/** The server's interface to its process. */
export interface ServerProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly process: Process;
  /** Writes log lines and texts for people. Returns false if a text was dropped. Must not block. */
  readonly write: (text: string) => boolean;
  /** Ends the process at once. */
  readonly exit: (ended: ServerExit) => void;
}

/** The outcome of serving mutators. */
export interface ServerExit {
  /** Mutations that may still be active. */
  readonly residual: readonly ResidualMutation[];
  /** The bug that ended the server, if any. */
  readonly error?: unknown;
}

/** A server's log options. */
export type ServerLogOptions = Pick<LogOptions, 'format' | 'level' | 'color'>;

/** Grace period for operations before resets begin. */
const GRACE_MS = 10_000;

/**
 * Serves mutators until a shutdown trigger, and then resets all mutators. Rejects with a ServeError, a StateError or an
 * ActuatorError if the server cannot start.
 */
export async function serveMutators(
  options: ServeOptions,
  log: ServerLogOptions,
  server: ServerProcess,
): Promise<ServerExit> {
  const plan = await planServer(options, server.env, (problem) => logKeyChange(logger, problem));
  const logger = createLogger({ ...log, write: server.write, secrets: plan.secrets });
  const printText = (text: string) => void server.write(escapeAsJson(redact(text, plan.secrets())));
  const times = { graceMs: GRACE_MS, timeoutMs: options.shutdownMs };
  let host: LifecycleHost | undefined;
  let endProcesses = async () => {};
  let boundPlan: ServerPlan = plan;
  const watcher = watchShutdownTriggers({
    process: server.process,
    plugin: plan.plugin || options.untilStdinEnds === true,
    ...defined({ parentPid: options.parentPid }),
    onSecondSignal() {
      const residual = host?.abandon() ?? [];
      printText(describeResidualMutations(residual));
      server.exit({ residual });
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
    logInitialState(logger, host);
    endProcesses = await startProcesses(options.processes ?? [], {
      directory: options.manifestDirectory,
      environment: server.env,
      secretVariables: plan.secretVariables,
      events: (event) => logProcess(logger, event),
    });
    const recoveryPromise = host.recover({ forgetMissing: options.forgetMissing });
    // A signal may arrive while the server cleans up after an earlier crash.
    const recovery = await Promise.race([recoveryPromise, watcher.first.then(() => undefined)]);
    if (recovery !== undefined && recovery.residual.length > 0) {
      host.abandon();
      printText(describeResidualMutations(recovery.residual));
      if (host.unusable === undefined) return { residual: recovery.residual };
    }
    if (recovery !== undefined && host.unusable !== undefined) throw host.unusable;
    const limits = limitsFor(divideFileLimit(maxOpenFiles()).connections);
    const { orphansMs } = options;
    const app = buildApp({ ...plan, host, logger, limits, ...defined({ orphansMs }) });
    if (watcher.current() === undefined) {
      const help = explainPort(plan, options.port);
      boundPlan = { ...plan, port: await listen(app, plan, help) };
      announce();
    }
    const stateLoss = host.gone.then((error) => ({ kind: 'state', error }) as const);
    const trigger = await Promise.race([watcher.first, stateLoss]);
    logTrigger(logger, trigger);
    const { residual } = await closeAfter(app, () => (host as LifecycleHost).shutdown(times));
    printText(describeResidualMutations(residual));
    if (trigger.kind === 'state' && residual.length === 0) throw trigger.error;
    return { residual, ...(trigger.kind === 'error' && { error: trigger.error }) };
  } catch (error) {
    // On any error, nothing may stay mutated.
    await host?.shutdown(times);
    throw error;
  } finally {
    await endProcesses();
    plan.keys?.close();
    watcher.stop();
  }

  function announce(): void {
    if (log.format === 'pretty') printText(formatBanner(boundPlan, options));
    else {
      const portNotice = describeDefaultPort(boundPlan);
      if (portNotice !== undefined)
        logger.warn({ event: 'port', port: boundPlan.port }, portNotice);
      logger.info(
        { event: 'start', url: apiUrl(boundPlan), mutators: options.mutators.length },
        'serving',
      );
    }
  }
}
