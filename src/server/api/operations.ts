import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import {
  ENDED_MUTATIONS_HEADER,
  FORGET_HEADER,
  HELD_SINCE_HEADER,
  HOLD_HEADER,
  type Mutation,
  RESIDUE_HEADER,
  type Refusal,
  RUN_HEADER,
  readMutation,
  writeEndedMutations,
  writeResidue,
} from '../../mutators/index.js';
import { defined, format } from '../../values/index.js';
import type { InjectOutcome, ResetOutcome } from '../host/host.js';
import type { MutatorHost } from '../host/host-lifecycle.js';
import { parseRun } from './lease.js';
import { readHeader } from './wire-records.js';

/** Maximum logged length of a path. Only a path with a long id can be longer. */
const MAX_PATH_LENGTH = 300;

/** Responds with a status and no body. A header contains the request's id, which identifies the log line. */
export function sendStatus(request: FastifyRequest, reply: FastifyReply, status: number): void {
  reply.code(status).header('x-request-id', request.id).send();
}

/** Responds with a status, and writes the reasons to the log only. */
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
      // A query is not part of the API, and may contain secrets.
      path: request.url.replace(/\?.*/s, '').slice(0, MAX_PATH_LENGTH),
      status,
      reasons,
    },
    'request refused',
  );
  sendStatus(request, reply, status);
}

/** Maximum logged length of a text value from a client. */
const MAX_VALUE_LENGTH = 200;

type Outcome = InjectOutcome | ResetOutcome;

/** Returns the mutator id in a request's path, if any. */
export function mutatorIdOf(request: FastifyRequest): string | undefined {
  return (request.params as { mutator_correlation_id?: string }).mutator_correlation_id;
}

/*
 * The requirements define no status for a server that is overloaded, shutting down or stopped, so these outcomes are
 * internal errors too.
 */
const STATUSES: Readonly<Record<Outcome['kind'], number>> = {
  injected: 201,
  reset: 200,
  forgotten: 200,
  refused: 400,
  'not-found': 404,
  failed: 500,
  busy: 500,
  closing: 500,
  held: 500,
};

/** Returns the request handlers, which act on mutators. A handler finishes its work even if the client disconnects. */
export function createOperations(host: MutatorHost, logger: Logger) {
  /** Adds a response header with the time at which injections were stopped, to notify an active run at once. */
  const addHeldHeader = (reply: FastifyReply): void => {
    if (host.heldSince === undefined) reply.removeHeader(HELD_SINCE_HEADER);
    else reply.header(HELD_SINCE_HEADER, new Date(host.heldSince).toISOString());
  };

  /** Adds a response header with the run's mutations that ended without a request from the run. */
  const addEndedHeader = (reply: FastifyReply, header: string | undefined): void => {
    const endedMutations = host.endedMutationsOf(parseRun(header) ?? '');
    if (endedMutations.length > 0)
      reply.header(ENDED_MUTATIONS_HEADER, writeEndedMutations(endedMutations));
  };

  return {
    addHeldHeader,
    addEndedHeader,

    async createMutation(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const reading = readBody(request.body);
      if ('reasons' in reading) return refuse(logger, request, reply, 400, reading.reasons);
      const { mutation } = reading;
      const mutator = mutatorIdOf(request) as string;
      const start = performance.now();
      const header = request.headers[RUN_HEADER]?.toString();
      const outcome = await host.inject(mutator, mutation, parseRun(header));
      // For a refused mutation, the reasons are enough.
      const params = outcome.kind !== 'refused' && { params: shortenParams(mutation) };
      addHeldHeader(reply);
      addEndedHeader(reply, header);
      log('injection', request, start, outcome, { mutator, mutation: mutation.id, ...params });
      sendStatus(request, reply, STATUSES[outcome.kind]);
    },

    async deleteMutations(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const mutator = mutatorIdOf(request) as string;
      const start = performance.now();
      const hold = readHeader(request.headers, HOLD_HEADER);
      if ('problem' in hold) return refuse(logger, request, reply, 400, [hold.problem]);
      const forget = readHeader(request.headers, FORGET_HEADER);
      if ('problem' in forget) return refuse(logger, request, reply, 400, [forget.problem]);
      const header = request.headers[RUN_HEADER]?.toString();
      const resetRequest = { hold: hold.value, forget: forget.value, run: parseRun(header) };
      const outcome = await host.reset(mutator, resetRequest);
      if (outcome.kind === 'forgotten') reply.header(RESIDUE_HEADER, writeResidue(outcome.left));
      addHeldHeader(reply);
      addEndedHeader(reply, header);
      log('reset', request, start, outcome, { mutator, ...defined({ hold: hold.value }) });
      sendStatus(request, reply, STATUSES[outcome.kind]);
    },
  };

  function log(
    event: 'injection' | 'reset',
    request: FastifyRequest,
    start: number,
    outcome: Outcome,
    fields: object,
  ): void {
    const { kind, ...reasons } = outcome;
    logger[levelOf(outcome)](
      {
        event,
        request: request.id,
        client: request.ip,
        ...fields,
        outcome: kind,
        ...reasons,
        status: STATUSES[kind],
        ms: Math.round(performance.now() - start),
      },
      `${event}: ${kind}`,
    );
  }
}

function levelOf({ kind }: Outcome): 'info' | 'warn' | 'error' {
  if (kind === 'injected' || kind === 'reset') return 'info';
  return kind === 'failed' ? 'error' : 'warn';
}

/** Shortens a mutation's parameters for the log. Only strings can be long, because the parameters are valid. */
function shortenParams({ params }: Mutation): Record<string, string> {
  return Object.fromEntries(
    [...params].map(([key, value]) => [key, format(value).slice(0, MAX_VALUE_LENGTH)]),
  );
}

function readBody(body: unknown): { readonly mutation: Mutation } | Refusal {
  if (!(body instanceof Uint8Array)) return { reasons: ['the request has no body'] };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return { reasons: ['the body is not UTF-8'] };
  }
  return readMutation(text);
}
