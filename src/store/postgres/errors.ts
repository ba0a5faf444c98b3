import { codeOf } from '../../durable/index.js';
import { StoreError, type StoreErrorCode } from '../store.js';

type Explanation = readonly [code: StoreErrorCode, reason: string];

const UNTRUSTED: Explanation = [
  'unauthorized',
  "its certificate is not trusted: set sslrootcert to its issuer's certificate",
];

const NOT_POSTGRES: Explanation = [
  'unreachable',
  'it is not a PostgreSQL server, or uses an unsupported protocol version',
];

/** Explanations of server and connection errors, by code. */
const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: ['unreachable', 'no server responds: start it, or correct the host and port'],
  ENOENT: ['unreachable', 'there is no such socket: start the server, or correct the host'],
  ENOTFOUND: ['unreachable', 'there is no such host: correct the host'],
  EAI_AGAIN: ['unreachable', 'the host name cannot be resolved at the moment: check the network'],
  ETIMEDOUT: ['unreachable', 'it does not respond: check the host, port and firewall'],
  EHOSTUNREACH: ['unreachable', 'there is no route to the host: check the network'],
  ENETUNREACH: ['unreachable', 'there is no route to the host: check the network'],
  ECONNRESET: ['unreachable', 'it closed the connection: try again'],
  EPIPE: ['unreachable', 'it closed the connection: try again'],
  '28P01': ['unauthorized', 'it rejected the password: set PGPASSWORD or correct ~/.pgpass'],
  '28000': [
    'unauthorized',
    'it rejected this user: correct the user, or contact its administrator',
  ],
  '3D000': ['unreachable', 'it has no such database: create it, or correct the name'],
  '42501': ['denied', 'this user lacks permission: grant access to the schema and its tables'],
  '25006': ['denied', 'it is read-only: use the primary server'],
  '53100': ['full', 'its disk is full: nothing was stored; free some space and try again'],
  '55P03': ['busy', 'other processes are writing to it: try again later'],
  '53300': ['busy', 'it has too many connections: try again later'],
  '57014': [
    'timeout',
    'it did not respond in time: try again, or increase the timeout with --timeout',
  ],
  '57P01': ['unreachable', 'it is shutting down: try again later'],
  '57P02': ['unreachable', 'it crashed: try again later'],
  '57P03': ['unreachable', 'it is starting or stopping: try again later'],
  XX001: ['corrupt', 'its tables are damaged: restore them from a backup'],
  XX002: ['corrupt', 'its tables are damaged: restore them from a backup'],
  '22021': ['failed', 'it cannot store U+0000: remove that character from the name'],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: ['unauthorized', 'its certificate has expired: renew it'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'unauthorized',
    'its certificate is for another host: correct the host, or use sslmode=verify-ca',
  ],
};

const MESSAGES: readonly (readonly [RegExp, Explanation])[] = [
  [
    /client password must be/,
    [
      'unauthorized',
      'it requires a password: add it to ~/.pgpass, or set PGPASSWORD (and PGHOST, if perturb.toml names the server)',
    ],
  ],
  [
    /^Query read timeout/,
    ['timeout', 'it stopped responding: check the server and the network, or increase --timeout'],
  ],
  [/timeout/, EXPLANATIONS['ETIMEDOUT'] as Explanation],
  [
    /^Connection terminated|^Client has encountered a connection error/,
    EXPLANATIONS['ECONNRESET'] as Explanation,
  ],
  [/invalid response/, NOT_POSTGRES],
  [
    /does not support SSL/,
    ['unauthorized', 'it does not support TLS: enable TLS there, or use sslmode=disable'],
  ],
  [/SSL|SASL/, NOT_POSTGRES],
];

/** True if other processes interfered and the work may be retried. */
export function isPostgresBusy(error: unknown): boolean {
  return ['40001', '40P01', '53300', '55P03', '57P03'].includes(codeOf(error) ?? '');
}

/** Returns the error for a lock that another process holds. */
export function lockHeldError(): Error {
  return Object.assign(new Error('another process is writing'), { code: '55P03' });
}

/** Explains a server or connection error to the user. Returns undefined for a bug. */
export function explainPostgres(error: unknown, place: string): StoreError | undefined {
  const [code, reason] = EXPLANATIONS[codeOf(error) ?? ''] ?? explainMessage(error) ?? [];
  if (code === undefined) return undefined;
  return new StoreError(code, `cannot use ${place}: ${reason}`);
}

/** Explains an error of the client library, which has no code. */
function explainMessage(error: unknown): Explanation | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}
