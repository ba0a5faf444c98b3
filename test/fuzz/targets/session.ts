import {
  FORMATS,
  readSession,
  type SessionFormat,
  writeNeutral,
} from '../../../src/session/index.js';
import { toBytes } from '../bytes.js';
import { readCorpus } from '../corpus.js';
import { hold, kindOf, type Target } from '../target.js';

const SEEDS = [
  '{"session":1,"name":"s"}\n{"probe":"A","name":"x","seq":1,"time":5,"id":"i","attributes":{"a":1.5,"b":true,"c":"t"}}\n{"probe":"B","name":"y","after":["i"]}\n{"from":["A",1],"to":["B",0]}\n',
  'a {"a":1}\nsend\nb {"b":1,"a":1}\nreceive\n',
  '{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"o","startTime":1,"duration":2,"processID":"p"}],"processes":{"p":{"serviceName":"s"}}}]}',
  '[{"traceId":"1","id":"2","name":"n","timestamp":1,"duration":2,"localEndpoint":{"serviceName":"s"}}]',
];

const TOKENS = [
  ...['"probe"', '"name"', '"seq"', '"time"', '"id"', '"attributes"', '"after"', '"from"', '"to"'],
  ...['"session"', '"resourceSpans"', '"scopeSpans"', '"spans"', '"traceId"', '"spanId"', '"data"'],
  ...['"parentId"', '"references"', '"timestamp"', '{"NonFiniteFloat":"NaN"}', '{"BigInt":"1"}'],
  ...['{"EventCoordinate":{}}', '{"LogicalTime":[1]}', '9223372036854775808', '1e400', '-0', 'NaN'],
  ...['\\ud800', '\\u0000', '__proto__', '["A",0]', '["A",1]', ':', ',', '{', '}', '[', ']', '\n'],
];

/** Recorded sessions: reading any bytes in each format, and writing what was read. */
export function sessionTarget(): Target {
  return {
    name: 'session',
    seeds: [...SEEDS, ...readCorpus(['fixtures/sessions/golden'], '.jsonl')],
    tokens: TOKENS,
    async run(input) {
      const bytes = toBytes(input);
      const said: string[] = [];
      for (const format of [undefined, ...FORMATS]) said.push(...(await readAs(bytes, format)));
      return new Set(said);
    },
  };
}

async function readAs(bytes: Uint8Array, format: SessionFormat | undefined): Promise<string[]> {
  const options = format === undefined ? {} : { format };
  const strict = await readSession(bytes, options);
  hold(
    (strict.session === undefined) === strict.problems.length > 0,
    'neither read nor said to be wrong',
  );
  const { session } = await readSession(bytes, { ...options, tolerant: true });
  hold(session !== undefined, 'not read although it was to be tolerated');
  const written = [...writeNeutral(session)].join('');
  const again = await readSession(written, { format: 'session', tolerant: true });
  const isWhole = again.problems.every(({ count }) => count === 0);
  hold(isWhole, 'what was written cannot be read');
  hold(again.session?.size === session.size, 'what was written has other events');
  return strict.problems.map(({ message }) => `${strict.format} ${kindOf(message)}`);
}
