import type { Logger } from 'pino';
import type { HostEvent } from '../host/host.js';
import type { LifecycleHost } from '../host/host-lifecycle.js';
import type { ShutdownTrigger } from '../host/shutdown-trigger.js';
import type { ProcessEvent } from '../startup/processes.js';
import type { ServeError } from '../startup/serve-error.js';

/** Logs a host's event, except for requested operations, which are logged with their requests. */
export function logEvent(logger: Logger, event: HostEvent): void {
  const { kind, id: mutator, ...fields } = event;
  const { owned, gone, ...otherFields } = { owned: undefined, gone: undefined, ...fields };
  const details = { ...otherFields, ...owned };
  const logFields = 'ms' in details ? { ...details, ms: Math.round(details.ms) } : details;
  switch (event.kind) {
    case 'reset':
      if (gone !== undefined) logger.warn({ event: 'gone', mutator, reason: gone }, 'gone');
      if (event.cause !== 'request') {
        logger.info({ event: 'reset', mutator, outcome: 'reset', ...logFields }, 'reset: reset');
      }
      return;
    case 'reset-failed':
      if (event.cause === 'request') return;
      logger.error({ event: 'reset', mutator, outcome: 'failed', ...logFields }, 'reset: failed');
      return;
    case 'record-failed':
      logger.error({ event: kind, mutator, ...logFields }, 'the journal cannot be written');
      return;
    case 'forgotten':
      logger.warn({ event: kind, mutator }, 'forgotten: no longer in the manifest');
      return;
    case 'inject-failed':
      // The failure itself is logged with the request.
      if (event.lateMs === undefined) return;
      logger.warn(
        { event: 'doubt', mutator, mutation: event.mutation, ms: event.lateMs },
        'the injection timed out or was interrupted and may still take effect, so the server resets the mutator again until that is unlikely, and at shutdown',
      );
      return;
    case 'injected':
    case 'refused':
    case 'busy':
  }
}

/** Logs the initial state of a host: a damaged journal, ignored files, and stopped injections. */
export function logInitialState(
  logger: Logger,
  { damage, ignored, heldSince }: Pick<LifecycleHost, 'damage' | 'ignored' | 'heldSince'>,
): void {
  if (damage !== undefined) {
    const message = 'the journal is damaged, so the server resets every mutator in the manifest';
    logger.error({ event: 'journal', reason: damage }, message);
  }
  if (ignored.length > 0) {
    const reasons = ignored.slice(0, 10);
    const hiddenCount = ignored.length - reasons.length;
    const message = 'part of the state directory is ignored';
    logger.warn(
      { event: 'state', reasons, ...(hiddenCount > 0 && { more: hiddenCount }) },
      message,
    );
  }
  if (heldSince !== undefined) {
    const message = 'stopped: refusing mutations until you run "perturb mutators stop --release"';
    logger.warn({ event: 'held', since: new Date(heldSince).toISOString() }, message);
  }
}

/** Logs a change of the keys, or the reason why the change is unusable. */
export function logKeyChange(logger: Logger, problem: ServeError | undefined): void {
  if (problem === undefined) logger.info({ event: 'keys' }, 'the keys have changed');
  else
    logger.error({ event: 'keys', reason: problem.message }, 'the previous keys remain in force');
}

/** Logs an event of a process that the mutators need. */
export function logProcess(logger: Logger, event: ProcessEvent): void {
  const { name } = event;
  switch (event.kind) {
    case 'said':
      logger.info({ event: 'process', process: name }, event.line);
      return;
    case 'ended':
      logger.error(
        { event: 'process', process: name, reason: event.how },
        'a process that the mutators need exited',
      );
  }
}

/** Logs the reason for a server's shutdown. */
export function logTrigger(logger: Logger, trigger: ShutdownTrigger): void {
  switch (trigger.kind) {
    case 'signal':
      logger.info({ event: 'end', signal: trigger.signal }, 'shutting down');
      return;
    case 'stdin':
      logger.info({ event: 'end' }, 'shutting down: the reflector closed stdin');
      return;
    case 'parent':
      logger.info({ event: 'end' }, 'shutting down: the reflector that started this plugin exited');
      return;
    case 'state':
      logger.error(
        { event: 'end', reason: trigger.error.message },
        'shutting down: the state directory is gone',
      );
      return;
    case 'error':
      logger.fatal({ event: 'end', err: trigger.error }, 'shutting down: uncaught error');
  }
}
