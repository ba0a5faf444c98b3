import { randomUUID } from 'node:crypto';
import { METHODS } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type RouteHandlerMethod,
} from 'fastify';
import { type Logger, pino } from 'pino';
import {
  ACTIVITY_HEADER,
  createHostCheck,
  foreignHost,
  IN_USE_HEADER,
  INSTANCE_HEADER,
  RUN_HEADER,
  withActivity,
  writeListing,
} from '../../mutators/index.js';
import type { MutatorHost } from '../host/host-lifecycle.js';
import { endpoints, type Operation } from './api.js';
import { type ApiKeys, findDenial } from './auth.js';
import {
  createHttpServer,
  defaultLimits,
  type HttpServer,
  type ServerLimits,
  type TlsIdentity,
} from './http-server.js';
import { RunLease } from './lease.js';
import { createOperations, mutatorIdOf, refuse, sendStatus } from './operations.js';
import { readHeader } from './wire-records.js';

export interface AppOptions {
  readonly host: MutatorHost;
  /** The accepted keys (default: no key is required). */
  readonly keys?: ApiKeys;
  /** Prefix of the endpoints' paths, such as `/bench` (default: none). */
  readonly basePath?: string;
  readonly logger: Logger;
  readonly limits?: Partial<ServerLimits>;
  readonly tls?: TlsIdentity;
  /**
   * Returns true if a Host header names this server (default: accepts only loopback names). Used only if no key is
   * required.
   */
  readonly isOwnHost?: (host: string | undefined) => boolean;
  /** Time in milliseconds without a request after which the server resets a run's mutations (default: never). */
  readonly orphansMs?: number;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

/** Builds the HTTP API for a host, with the three endpoints only. The app does not listen yet. */
export function buildApp(options: AppOptions): FastifyInstance {
  const { host, keys, basePath = '', logger } = options;
  const { isOwnHost = createHostCheck({ address: '127.0.0.1' }) } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const listing = Buffer.from(writeListing(host.mutators));
  const ids = new Set(host.mutators.map(({ id }) => id));

  const app = createFastify(options, limits, handleError);
  const { createMutation, deleteMutations, addHeldHeader, addEndedHeader } = createOperations(
    host,
    logger,
  );
  const handlers: Readonly<Record<Operation, RouteHandlerMethod>> = {
    listMutators(request, reply) {
      const activity = readHeader(request.headers, ACTIVITY_HEADER);
      if ('problem' in activity) return refuse(logger, request, reply, 400, [activity.problem]);
      const body = activity.value
        ? writeListing(
            host.mutators.map((mutator) => withActivity(mutator, host.activity(mutator.id))),
          )
        : listing;
      reply.header('content-type', 'application/json').send(body);
    },
    createMutation,
    deleteMutations,
  };

  const instance = randomUUID();
  const { orphansMs } = options;
  const lease = new RunLease(
    orphansMs === undefined
      ? {}
      : { onSilence: { afterMs: orphansMs, call: (run) => host.resetOrphans(run) } },
  );

  const check: Hook = (request, reply, done) => {
    reply.header(INSTANCE_HEADER, instance);
    const refusal = findDenial(keys, request.headers, () => foreignHost(request.raw, isOwnHost));
    if (refusal !== undefined) {
      // A rejected client has no further use for its connection.
      reply.header('connection', 'close');
      refuse(logger, request, reply, refusal.status, [refusal.reason]);
      return;
    }
    addHeldHeader(reply);
    const id = mutatorIdOf(request);
    if (id !== undefined && !ids.has(id)) {
      refuse(logger, request, reply, 404, ['there is no such mutator']);
      return;
    }
    const run = request.headers[RUN_HEADER]?.toString();
    const inUseSince = lease.take(run);
    addEndedHeader(reply, run);
    if (inUseSince !== undefined) {
      reply.header(IN_USE_HEADER, new Date(inUseSince).toISOString());
      if (request.method === 'POST') {
        refuse(logger, request, reply, 409, ['another run uses this server']);
        return;
      }
    }
    // Parses every body as JSON, whatever its content type.
    if (id !== undefined) delete request.raw.headers['content-type'];
    done();
  };
  for (const [path, operations] of groupOperations()) {
    const url = basePath + path.replace(/\{(\w+)\}/g, ':$1');
    for (const [method, operation] of operations) {
      const handler = handlers[operation];
      app.route({ method, url, onRequest: check, handler });
    }
    const refuseMethod: Hook = (request, reply) => {
      reply.header('allow', [...operations.keys()].join(', '));
      refuse(logger, request, reply, 405, ['the path does not support this method']);
    };
    const method = app.supportedMethods.filter((method) => !operations.has(method));
    app.route({ method, url, onRequest: refuseMethod, handler: () => {} });
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(logger, request, reply, 404, ['there is no such path']);
    else done();
  });
  app.addHook('onClose', (_app, done) => {
    lease.close();
    done();
  });
  app.setErrorHandler((error, request, reply) => handleError(error, request, reply));
  return app;

  function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode = 500, message } = error as Partial<FastifyError>;
    if (statusCode >= 400 && statusCode < 500) {
      refuse(logger, request, reply, statusCode, [String(message)]);
      return;
    }
    logger.error(
      { event: 'bug', request: request.id, err: error },
      'request failed because of a bug',
    );
    sendStatus(request, reply, 500);
  }
}

function createFastify(
  { logger, tls }: AppOptions,
  limits: ServerLimits,
  handleError: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  let http: HttpServer | undefined;
  const app = fastify({
    serverFactory(listener) {
      http = createHttpServer(limits, listener, tls);
      return http.server;
    },
    clientErrorHandler(error, socket) {
      const client = socket.remoteAddress;
      const status = http?.endBadClient(error, socket);
      if (status === undefined) return;
      logger.warn({ event: 'refusal', client, status, code: error.code }, 'unreadable request');
    },
    frameworkErrors: handleError,
    bodyLimit: limits.bodyBytes,
    genReqId: createRequestIds(),
    exposeHeadRoutes: false,
    // The server has its own log.
    loggerInstance: silentLogger,
    childLoggerFactory: () => silentLogger,
    // Compiling the routes' schemas would take a third of the server's startup time.
    schemaController: {
      compilersFactory: { buildValidator: throwOnSchema, buildSerializer: throwOnSchema },
    },
    // The host decides whether to serve further requests on an open connection.
    return503OnClosing: false,
    // A request's head already has a size limit, and a manifest's ids may be long.
    routerOptions: { maxParamLength: limits.bodyBytes },
  });
  for (const method of METHODS) {
    // CONNECT does not apply to a path.
    if (!app.supportedMethods.includes(method) && method !== 'CONNECT') app.addHttpMethod(method);
  }
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return app;
}

const silentLogger: FastifyBaseLogger = pino({ level: 'silent' });

function throwOnSchema(): never {
  throw new Error('routes must not have schemas');
}

/** Groups the API's operations by path and method. */
function groupOperations(): Map<string, Map<string, Operation>> {
  const paths = new Map<string, Map<string, Operation>>();
  for (const operation of Object.keys(endpoints) as Operation[]) {
    const { method, path } = endpoints[operation];
    const operations = paths.get(path) ?? new Map<string, Operation>();
    paths.set(path, operations.set(method, operation));
    // A server that answers GET must answer HEAD (RFC 9110, section 9.1).
    if (method === 'GET') operations.set('HEAD', operation);
  }
  return paths;
}

/** Returns a generator of request ids that are unique across restarts of the server. */
function createRequestIds(): () => string {
  const run = Math.random().toString(36).slice(2, 8);
  let count = 0;
  return () => `${run}-${++count}`;
}
