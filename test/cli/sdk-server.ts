import type { IncomingMessage } from 'node:http';
import { serveHttp } from '../mutators/client/servers.js';

const SMALLEST = '-170141183460469231731687303715884105728';
const LARGEST = '170141183460469231731687303715884105727';

/** Attributes in the order of their keys, as the SDK sends them. */
function listed(id: string, params: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  const own = Object.entries(params).flatMap(([key, attributes]) =>
    Object.entries(attributes).map(([suffix, value]) => [`mutator.params.${key}.${suffix}`, value]),
  );
  const all = [
    ['mutator.acme.fleet', 99],
    ['mutator.name', `${id} mutator`],
    ['mutator.operation', 'set_to_value'],
    ['mutator.statefulness', 'transient'],
    ...own,
  ];
  return {
    mutator_correlation_id: id,
    attributes: Object.fromEntries(all.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))),
  };
}

/** The mutators in the order of their ids. */
const MUTATORS = [
  listed('a.b.counter', {
    count: {
      name: 'count',
      value_type: 'BigInteger',
      value_min: { BigInt: SMALLEST },
      value_max: { BigInt: LARGEST },
    },
  }),
  listed('my.local.test-mutator', {
    'my-param': {
      name: 'my-param',
      description: 'A test parameter',
      value_type: 'Integer',
      value_min: 0,
      value_max: 100,
      'value_distribution.kind': 'continuous',
    },
  }),
  listed('note', { text: { name: 'text', value_type: 'String' } }),
  listed('rotor/left motor', {
    gain: {
      name: 'gain',
      value_type: 'Float',
      value_min: { NonFiniteFloat: '-Infinity' },
      value_max: { NonFiniteFloat: 'Infinity' },
      default_value: 1.0,
    },
    level: {
      name: 'level',
      value_type: 'Float',
      default_value: 10,
      'value_distribution.option_set.high': 10,
      'value_distribution.option_set.low': 1.5,
    },
    wait: {
      name: 'wait',
      value_type: 'Nanoseconds',
      value_min: { Timestamp: 0 },
      value_max: { Timestamp: 1_000_000_000 },
    },
  }),
];

export interface SdkServer {
  readonly url: string;
  /** The requests that got past the check of the header: method, id and, of a POST, the params. */
  readonly changes: readonly string[];
}

/**
 * A server that answers as the HTTP server of the public SDK does when it requires no key: 400 with a
 * text for each request without the header, whatever its value. It lists integers of 128 bits as texts, and
 * accepts only those.
 */
export async function serveSdk(): Promise<SdkServer> {
  const changes: string[] = [];
  const url = await serveHttp(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const id = /^\/mutator\/([^/]+)\/mutation$/.exec(path)?.[1];
    if (path !== '/mutator' && id === undefined) return void response.writeHead(404).end();
    if (!(id === undefined ? ['GET', 'HEAD'] : ['POST', 'DELETE']).includes(method)) {
      return void response.writeHead(405).end();
    }
    if (headers['mutator_apikey'] === undefined) {
      return void response.writeHead(400).end("Missing required header 'mutator_apikey'");
    }
    if (id === undefined) {
      const type = { 'content-type': 'application/json' };
      return void response.writeHead(200, type).end(JSON.stringify(MUTATORS));
    }
    const decoded = decodeURIComponent(id);
    const isKnown = MUTATORS.some((one) => one.mutator_correlation_id === decoded);
    if (method === 'DELETE') {
      if (isKnown) changes.push(`DELETE ${decoded}`);
      return void response.writeHead(isKnown ? 200 : 404).end();
    }
    if (headers['content-type'] !== 'application/json') return void response.writeHead(415).end();
    const params = paramsOf(await textOf(request));
    if (params === undefined) return void response.writeHead(422).end();
    if (isKnown) changes.push(`POST ${decoded} ${params}`);
    response.writeHead(isKnown ? 201 : 404).end();
  });
  return { url, changes };
}

/** The params of a mutation as they stand in its text; undefined if a value is not one of the SDK's. */
function paramsOf(body: string): string | undefined {
  const { mutation, params } = JSON.parse(body);
  const isValue = (value: unknown): boolean => {
    if (typeof value !== 'object') return true;
    const [[type, content] = [], ...more] = Object.entries(value ?? {});
    if (type === undefined || more.length > 0) return false;
    if (type === 'BigInt') return typeof content === 'string' && /^-?\d+$/.test(content);
    return type === 'Timestamp' || type === 'NonFiniteFloat';
  };
  const isMutation = /^[\da-f-]{36}$/.test(mutation) && Object.values(params).every(isValue);
  return isMutation ? /"params":(\{.*\})\}$/s.exec(body)?.[1] : undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
