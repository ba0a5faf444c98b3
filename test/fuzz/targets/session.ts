import {
  FORMATS,
  type ReadOptions,
  readSession,
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
  '[{"traceId":"1","id":"2","annotations":[{"value":"cs","timestamp":1,"endpoint":{"serviceName":"s"}},{"value":"sr","timestamp":2,"endpoint":{"serviceName":"t"}}],"binaryAnnotations":[{"key":"k","value":"v"}]}]',
  '{"hits":{"hits":[{"_source":{"traceID":"1","spanID":"2","startTime":1,"tag":{"a@b":1},"process":{"serviceName":"s"}}}]}}',
  '{"batches":[{"scopeSpans":[{"spans":[{"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"AQIDBAUGBwg=","startTimeUnixNano":"1"}]}]}]}',
  '{"level":30,"time":1795397462078,"pid":1,"hostname":"h","name":"s","msg":"m","traceId":"1"}\n',
  '{"log":"{\\"msg\\":\\"m\\"}\\n","stream":"stdout","time":"2026-11-23T01:31:02.078Z"}\n',
  '2026-11-23T01:31:02.078Z stdout P a\n2026-11-23T01:31:02.079Z stdout F b\n',
  'cart-1  | 2026-11-02 14:34:02,781 [main] ERROR c.e.Shop - failed\ncart-1  | \tat x\ndb  | a\n',
  '[pod/a/b] 2026-11-23T01:31:02.078Z {"msg":"m"}\n',
  '<165>1 2003-10-11T22:14:15.003Z h app - ID47 [a@1 k="v"] done\nNov  3 04:05:06 h app[1]: m\n',
  '2026-11-02 14:34:02,781 [main] ERROR c.e.Shop - failed\njava.lang.Error\n\tat x\n',
  'ts=1.5 level=info msg="a b" request_id=7\n',
  '{"traceEvents":[{"ph":"B","pid":1,"tid":2,"ts":1.5,"name":"a","args":{"x":1}},{"ph":"E","pid":1,"tid":2,"ts":2},{"ph":"s","pid":1,"tid":2,"ts":3,"name":"f","id":7},{"ph":"f","pid":3,"tid":4,"ts":3,"name":"f","id":7,"bp":"e"}]}',
  '[{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}},{"ph":"b","pid":1,"tid":2,"ts":1,"cat":"c","id":"0x1","name":"a"},{"ph":"e","pid":1,"tid":3,"ts":2,"cat":"c","id2":{"local":"0x1"},"name":"a"},{"ph":"X","ts":1,"dur":0,"bind_id":1,"flow_out":true},',
  'time,service,event,"left over"\n1.5,a,x,"b ""c""\nd"\n2,b,y,\n',
  'seq;event;host\r\n1;x;h\r\n',
  '{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","startTimeUnixNano":"1"}]}]}]}}',
  '=== one ===\na {"a":1}\nsend\n=== two ===\na {"a":1}\nsend\n',
  '2026-11-23T05:37:24.905Z [shop] info: \u001b[32mstarted\u001b[39m {"a":1}\n',
  '\n\u0019\u0012\u0017\u0012\u0015\n\u0010abcdefghijklmnop\u0012\u0001x',
];

const TOKENS = [
  ...['"ph"', '"ts"', '"dur"', '"bind_id"', '"traceEvents"', '"', '""', ';'],
  ...['"probe"', '"name"', '"seq"', '"time"', '"id"', '"attributes"', '"after"', '"from"', '"to"'],
  ...['"session"', '"resourceSpans"', '"scopeSpans"', '"spans"', '"traceId"', '"spanId"', '"data"'],
  ...['"parentId"', '"references"', '"timestamp"', '{"NonFiniteFloat":"NaN"}', '{"BigInt":"1"}'],
  ...['{"EventCoordinate":{}}', '{"LogicalTime":[1]}', '9223372036854775808', '1e400', '-0', 'NaN'],
  ...['"_source"', '"batches"', '"annotations"', '"endpoint"', '"MESSAGE"', '"log"', 'msg=', '- '],
  ...['\\ud800', '\\u0000', '__proto__', '["A",0]', '["A",1]', ':', ',', '{', '}', '[', ']', '\n'],
];

/** Recorded sessions: reading any bytes in each format, and writing what was read. */
export function sessionTarget(): Target {
  return {
    name: 'session',
    seeds: [
      ...SEEDS,
      ...readCorpus(['fixtures/sessions'], '.mcap'),
      ...readCorpus(['fixtures/sessions/golden'], '.jsonl'),
    ],
    tokens: TOKENS,
    async run(input) {
      const bytes = toBytes(input);
      const said: string[] = [];
      const forms = [{}, ...FORMATS.map((from) => ({ reading: { from } })), ...MAPPED];
      for (const options of forms) said.push(...(await readAs(bytes, options)));
      return new Set(said);
    },
  };
}

/** A log that a mapping describes, of JSON Lines and of text. */
const MAPPED: readonly ReadOptions[] = [
  { reading: { map: { name: '$.msg', time: '$.time', timeline: '$.traceId' } } },
  { reading: { map: { name: '$.name' }, send: '$.id', receive: '$.id' } },
  { reading: { pattern: '^(?<host>\\w+) (?<name>.*?)(?: (?<send>\\d+)|(?<receive>\\d+))?$' } },
];

async function readAs(bytes: Uint8Array, options: ReadOptions): Promise<string[]> {
  const strict = await readSession(bytes, options);
  hold(
    (strict.session === undefined) === strict.problems.length > 0,
    'neither read nor said to be wrong',
  );
  const { session } = await readSession(bytes, { ...options, tolerant: true });
  hold(session !== undefined, 'not read although it was to be tolerated');
  const written = [...writeNeutral(session)].join('');
  const again = await readSession(written, { reading: { from: 'session' }, tolerant: true });
  const isWhole = again.problems.every(({ count }) => count === 0);
  hold(isWhole, 'what was written cannot be read');
  hold(again.session?.size === session.size, 'what was written has other events');
  return strict.problems.map(({ message }) => `${strict.format} ${kindOf(message)}`);
}
