import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

/** No path of the API needs more; an id that does is cut in the log only. */
const MOST_SHOWN = 300;

/** A body can give more reasons than a log should hold. */
const MOST_REASONS = 10;

/** The first reasons, and how many more there are. */
export function mostOf(reasons: readonly string[]): readonly string[] {
  if (reasons.length <= MOST_REASONS) return reasons;
  return [...reasons.slice(0, MOST_REASONS), `and ${reasons.length - MOST_REASONS} more`];
}

/**
 * Answers with a status and nothing else. The request's id, by which its log
 * line can be found, goes with it.
 */
export function answer(request: FastifyRequest, reply: FastifyReply, status: number): void {
  reply.code(status).header('x-request-id', request.id).send();
}

/** Answers with a status; why goes to the log only. */
export function refuse(
  logger: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  reasons: readonly string[],
): void {
  logger.warn(
    {
      event: 'refusal',
      request: request.id,
      client: request.ip,
      method: request.method,
      // A query is no part of the API, and may hold what nobody should read.
      path: request.url.replace(/\?.*/s, '').slice(0, MOST_SHOWN),
      status,
      reasons: mostOf(reasons),
    },
    'request refused',
  );
  answer(request, reply, status);
}
