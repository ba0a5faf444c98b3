import type { Logger } from 'pino';
import type { HostEvent } from './host-events.js';

/** Logs what a host does by itself; what a request asked for is logged with its request. */
export function logEvent(logger: Logger, event: HostEvent): void {
  const { kind, id: mutator, ...rest } = event;
  switch (event.kind) {
    case 'reset':
      if (event.cause !== 'request') {
        logger.info({ event: 'reset', mutator, outcome: 'reset', ...rest }, 'reset: reset');
      }
      return;
    case 'reset-failed':
      logger.error({ event: 'reset', mutator, outcome: 'failed', ...rest }, 'reset: failed');
      return;
    case 'record-failed':
      logger.error({ event: kind, mutator, ...rest }, 'the journal can not be written');
      return;
    case 'forgotten':
      logger.warn({ event: kind, mutator }, 'forgotten: the manifest no longer has it');
      return;
    case 'injected':
    case 'inject-failed':
    case 'refused':
    case 'busy':
  }
}
