import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  inspectSession,
  problemText,
  type ReadOptions,
  readSession,
  type Session,
  writeNeutral,
} from '../../src/session/index.js';
import { runs } from '../long.js';
import { fixtureText, golden, json } from './golden.js';
import { closure, type PlainEvent, plain } from './plain.js';
import { shuffled } from './records.js';

async function read(text: string, options: ReadOptions = {}): Promise<Session> {
  const { session, problems } = await readSession(text, options);
  expect(problems).toEqual([]);
  return session as Session;
}

/** The short form of an event: what it is at which probe. */
const brief = (event: PlainEvent) =>
  `${event['probe']?.slice(7)}: ${event['name']?.slice(7)}${event['span.start'] ? ' starts' : ''}${event['span.end'] ? ' ends' : ''}`;

/** Interactions with the short forms of their events. */
function interactionsOf(session: Session): readonly string[] {
  const { events, interactions } = plain(session);
  return interactions.map((text) =>
    text.replaceAll(/\d+/g, (event) => brief(events[Number(event)] as PlainEvent)),
  );
}

describe('logs with vector clocks', () => {
  test('a real one: its order is that of its clocks', async () => {
    const text = fixtureText('chord.log');
    const session = await read(text);
    await expect(json(inspectSession(session))).toMatchFileSnapshot(golden('chord.inspect.json'));
    const clocks = new Map(
      [...text.matchAll(/^(\S+) (\{.*\})$/gm)].map(([, host = '', written = '']) => {
        const clock = JSON.parse(written) as Record<string, number>;
        return [`${host} ${clock[host]}`, clock];
      }),
    );
    const { events } = plain(session);
    const keys = events.map(({ probe, seq }) => ({
      host: probe?.slice(7) ?? '',
      own: Number(seq?.slice(8)),
    }));
    const isBefore = closure(session);
    const wrong: string[] = [];
    for (const [a, first] of keys.entries()) {
      for (const [b, second] of keys.entries()) {
        const clock = clocks.get(`${second.host} ${second.own}`) as Record<string, number>;
        const byClock = a !== b && (clock[first.host] ?? 0) >= first.own;
        if (byClock !== isBefore(a, b))
          wrong.push(`${first.host} ${first.own} -> ${second.host} ${second.own}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['above', 'a {"a":1}\nsend\nb {"a":1,"b":1}\nreceive\n'],
    ['below', 'send\na {"a":1}\nreceive\nb {"a":1,"b":1}\n'],
    ['beside', 'a {"a":1} send\nb {"a":1,"b":1} receive\n'],
  ])('the clock %s', async (_layout, text) => {
    const session = await read(text);
    expect(interactionsOf(session)).toEqual(['a: send -> b: receive']);
  });

  test('what GoVector writes before a host, and before a text', async () => {
    const text =
      '1795397462078123456 a {"a":1}\nINFO - send\n1795397462078123457 b {"b":1, "a":1}\nERROR receive\n';
    expect([...writeNeutral(await read(text))].join('').trim().split('\n')).toEqual([
      '{"probe":"a","name":"send","seq":1,"time":1795397462078123456,"attributes":{"level":"INFO"}}',
      '{"probe":"b","name":"receive","seq":1,"time":1795397462078123457,"attributes":{"level":"ERROR"}}',
      '{"from":["a",1],"to":["b",1]}',
    ]);
  });

  const PAIR = 'a {"a":1}\nsend\nb {"a":1,"b":1}\nreceive\n';
  const BELOW = 'send\na {"a":1}\nreceive\nb {"a":1,"b":1}\n';
  const LOST = 'without an event and its clock';

  test.each([
    ['a comment above', `# GoVector, run 7\n${PAIR}`, []],
    ['another comment above', `// GoVector, run 7\n${PAIR}`, []],
    ['a comment above clocks below', `# run 7\n${BELOW}`, []],
    ['comments and empty lines between', PAIR.replace('b {', '\n # half\n\nb {'), []],
    ['a heading', `run 7\n${PAIR}`, [`1: a line ${LOST}: "run 7"`]],
    ['a heading above clocks below', `run 7\n${BELOW}`, [`1: a line ${LOST}: "run 7"`]],
    [
      'a second line of an event',
      PAIR.replace('b {', '  at x\n  at y\nb {'),
      [`3: 2 lines, from here on, ${LOST}: "at x"`],
    ],
    ['a clock without an event', `${PAIR}c {"c":1}`, [`5: a line ${LOST}: 'c {"c":1}'`]],
    [
      'a clock without an event, further up',
      `c {"c":1}\n${PAIR}`,
      [`1: a line ${LOST}: 'c {"c":1}'`],
    ],
    [
      'clocks beside, and a line without',
      'a {"a":1} send\noops\nb {"a":1,"b":1} receive\n',
      [`2: a line ${LOST}: "oops"`],
    ],
    ['lines with ends of Windows', `# c\n${PAIR}`.replaceAll('\n', '\r\n'), []],
  ])('%s shifts no name', async (_, text, told) => {
    for (const options of [{}, { reading: { from: 'shiviz' } } as const]) {
      const strict = await readSession(text, options);
      expect(strict.problems.map(problemText)).toEqual(told);
      expect(strict.session === undefined).toBe(told.length > 0);
      const { session } = await readSession(text, { ...options, tolerant: true });
      expect(interactionsOf(session as Session)).toEqual(['a: send -> b: receive']);
    }
  });

  test('a log of another kind read as one with clocks: how many lines did not match', async () => {
    const text = 'INFO start\n\nINFO crash\nINFO stop\n';
    const strict = await readSession(text, { reading: { from: 'shiviz' } });
    expect(strict).toEqual({
      format: 'shiviz',
      problems: [{ line: 1, count: 3, message: `3 lines, from here on, ${LOST}: "INFO start"` }],
      more: 0,
      dropped: { record: 3, event: 0, interaction: 0 },
      merged: 0,
      orphans: 0,
      disagreements: [],
      setBacks: [],
      notes: [],
    });
    const pattern = '^(?<host>\\w+) (?<clock>\\{.*\\}) (?<event>.*)$';
    const other = await readSession(`x\na {"a":1} go\nb\n`, {
      reading: { from: 'shiviz', pattern },
    });
    expect(other.problems.map(problemText)).toEqual([
      '1: 2 lines, from here on, not matched by --pattern: "x"',
    ]);
  });

  test('a gap: the last event before it is the sender', async () => {
    const session = await read(
      'a {"a":1}\none\na {"a":2}\ntwo\na {"a":5}\nfive\nb {"a":4,"b":1}\nreceive\nb {"b":2,"c":7}\nof nobody\n',
      { reading: { from: 'shiviz' } },
    );
    expect(interactionsOf(session)).toEqual(['a: two -> b: receive']);
  });

  test('a pattern with fields of its own', async () => {
    const text =
      '[INFO] [04:23] [x] {"n0" : 1} Start\n# no event\n\n[WARN] [04:24] [y] {"n1": 2, "n0":1} Go\n';
    const pattern = String.raw`^\[(?<level>\w+)\] \[(?<time>[^\]]*)\] \[\w\] (?<clock>\{"(?<host>\w+)".*?\}) (?<event>.*)$`;
    const session = await read(text, { reading: { from: 'shiviz', pattern } });
    expect(plain(session)).toEqual({
      name: undefined,
      source: undefined,
      events: [
        {
          probe: 'string n0',
          name: 'string Start',
          seq: 'integer 1',
          level: 'string INFO',
          'attribute.time': 'string 04:23',
        },
        {
          probe: 'string n1',
          name: 'string Go',
          seq: 'integer 2',
          level: 'string WARN',
          'attribute.time': 'string 04:24',
        },
      ],
      interactions: ['0 -> 1'],
    });
  });

  const RUNS =
    '=== calm ===\na {"a":1}\none\na {"a":2}\ntwo\n=== windy ===\na {"a":1}\nuno\nb {"b":1, "a":1}\ndos\n';
  const delimiter = '^=== (?<trace>.*) ===$';

  test.each([
    ['calm', ['string one', 'string two'], []],
    ['windy', ['string uno', 'string dos'], ['a: uno -> b: dos']],
    ['2', ['string uno', 'string dos'], ['a: uno -> b: dos']],
  ])('execution %s of several', async (execution, names, interactions) => {
    const session = await read(RUNS, { reading: { from: 'shiviz' }, delimiter, execution });
    expect(plain(session).events.map((event) => event['name'])).toEqual(names);
    expect(interactionsOf(session)).toEqual(interactions);
  });

  test('a delimiter that parts nothing, and names that are missing', async () => {
    const one = 'a {"a":1}\none\n';
    expect((await read(one, { reading: { from: 'shiviz' }, delimiter })).size).toBe(1);
    const text = `${one}---\n\n---\na {"a":1}\nuno\n`;
    const session = await read(text, {
      reading: { from: 'shiviz' },
      delimiter: '^---$',
      execution: '2',
    });
    expect(plain(session).events.map((event) => event['name'])).toEqual(['string uno']);
  });

  test('several executions without a choice say what to do', async () => {
    const told = async (options: object, text = RUNS) =>
      (await readSession(text, { reading: { from: 'shiviz' }, ...options })).problems.map(
        problemText,
      );
    expect(await told({ delimiter })).toEqual([
      'the file contains 2 executions: "calm", "windy"; choose one with "perturb session import --execution"',
    ]);
    expect(await told({ delimiter, execution: 'wet' })).toEqual([
      'there is no execution "wet"; the file contains 2 executions: "calm", "windy"',
    ]);
    // Executions are usually parted so.
    expect(await told({})).toEqual(await told({ delimiter }));
    const bare = RUNS.replace('=== calm ===\n', '').replace('=== windy ===', '# windy');
    expect(await told({}, bare)).toEqual([
      '6: the clock of "a" restarts, so nothing is read from here on: if the file contains several executions, match the line above each execution with --delimiter',
    ]);
    const { session, dropped } = await readSession(bare, {
      reading: { from: 'shiviz' },
      tolerant: true,
    });
    expect([session?.size, dropped]).toEqual([2, { record: 0, event: 2, interaction: 0 }]);
    // The lines of an execution keep their numbers.
    const broken = RUNS.replace('{"a":1}\nuno', '{"a":x}\nuno');
    expect(
      (await readSession(broken, { reading: { from: 'shiviz' }, delimiter, execution: 'windy' }))
        .problems,
    ).toMatchObject([{ line: 7 }]);
    await expect(
      readSession(RUNS, { reading: { from: 'shiviz' }, delimiter: '(' }),
    ).rejects.toThrow('the delimiter: Invalid regular expression');
  });

  test('a clock within a string, as TLC writes it', async () => {
    const text = 'State 2: <Send>\nHost = n1\nClock = "{\\"n1\\":1,\\"n2\\":0}"\n';
    const pattern = '^State \\d+: <(?<event>\\w+)>\\nHost = (?<host>.*)\\nClock = "(?<clock>.*)"$';
    const { events } = plain(await read(text, { reading: { pattern } }));
    expect(events.map(({ probe, name }) => [probe, name])).toEqual([['string n1', 'string Send']]);
  });

  test('what is wrong with clocks', async () => {
    const text =
      'a {"a":1}\none\na {"b":1}\ntwo\na {"a":x}\nthree\na {"a":1}\nfour\na {"a":-1}\nfive\n';
    const { problems } = await readSession(text);
    expect(problems.map(problemText)).toEqual([
      '3: the clock has no entry for its own host "a"',
      "5: the clock is not JSON: Object value expected after ':' at position 5",
      '7: an event of "a" has the same "seq" as line 1',
      `9: the clock's entry for "a" is not a count`,
    ]);
    await expect(readSession(text, { reading: { from: 'shiviz', pattern: '(' } })).rejects.toThrow(
      SyntaxError,
    );
    await expect(
      readSession(text, { reading: { from: 'shiviz', pattern: '(?<host>.)' } }),
    ).rejects.toThrow('the pattern lacks a group (?<clock>...)');
  });
});

describe('what is not recognized', () => {
  const told = async (text: string | Uint8Array) =>
    (await readSession(text)).problems.map(problemText);
  const FORMATS_KNOWN =
    'supported formats: session JSON Lines; traces: OTLP as JSON or protobuf, Tempo, Jaeger, Zipkin, Chrome; CSV; ROS 2 recordings as MCAP; logs: ShiViz vector clocks, pino, bunyan, winston, zap, logrus, structlog, python, log4j, java, rust, dotnet, ruby, monolog, elixir, spdlog, go, klog, docker, kubernetes, journald, syslog, nginx, apache, haproxy, envoy, postgresql, redis, mongodb, elasticsearch, rabbitmq, nats, openstack, supervisord, k6, ros, logcat, candump, kernel, esp-idf, logfmt';
  const NAME_IT = 'if the format is supported, name it with --from';

  test.each([
    [
      'INFO start\nINFO stop\n',
      'text, which begins with "INFO start"',
      `${NAME_IT}, or describe a line: --pattern '^(?<level>\\w+) (?<name>.*)$'`,
    ],
    [
      '{"when":1,"level":30,"a b":0,"c":1,"event":"x","pid":2}\n{}\n',
      `JSON with "when", "level", "a b", "c", "event", ..., which begins with '{"when":1,"level":30,"a b":0,"c":1,"event":"x","pid":2}'`,
      `${NAME_IT}, or map each line to an event: --map 'name=$.event,time=$.when'`,
    ],
    [
      '[{"what":"?","at":1}]',
      `JSON with "what", "at", which begins with '[{"what":"?","at":1}]'`,
      `${NAME_IT}, or write each object on its own line, for example with jq -c '.[]', and map each line to an event: --map 'name=$.KEY', with the key of the event names`,
    ],
    [
      'zeit;dienst;ereignis\n2026-01-02 03:04:05;cart;placed\n',
      'text, which begins with "zeit;dienst;ereignis"',
      `${NAME_IT}; if the file is a table, map its columns to event fields: --map 'name=$.ereignis,probe=$.dienst,time=$.zeit'`,
    ],
    [
      'Datum;Uhrzeit;Ereignis\n29.11.2026;23:59:59,5;a\n30.11.2026;00:00:00,5;b\n',
      'text, which begins with "Datum;Uhrzeit;Ereignis"',
      `${NAME_IT}; if the file is a table, map its columns to event fields: --map 'name=$.Ereignis,time=$.Datum'`,
    ],
    [
      '{\n "@t": "2026-11-23T01:31:02Z",\n "@mt": "placed",\n "app": "cart"\n}\n{\n',
      'JSON with "@t", "@mt", "app", which begins with "{"',
      `${NAME_IT}, or write each object on its own line, for example with jq -c '.', and map each line to an event: --map 'name=$.@mt,probe=$.app,time=$.@t'`,
    ],
    // Tried on the first lines: a time is one, and names are fewer than events.
    ...[
      [
        '{"t":1,"svc":"a","evt":"cmd"}\n{"t":2,"svc":"b","evt":"ack"}\n',
        'name=$.evt,probe=$.svc,time=$.t',
      ],
      ['{"time_s":1.5,"topic":"/cmd","src":"a"}\n', 'name=$.topic,probe=$.src,time=$.time_s'],
      ['{"ts":"soon","type":"cmd"}\n', 'name=$.type'],
      [1, 2, 3].map((n) => `{"at":"0${n}:00:00","text":"order ${n}","ev":"order"}\n`).join('') +
        'x',
    ].map((row): [string, string, string] => {
      const [text = '', mapping = 'name=$.ev,time=$.at'] = [row].flat();
      const keys = Object.keys(JSON.parse(text.split('\n', 1)[0] as string));
      return [
        text,
        `JSON with ${keys.map((key) => `"${key}"`).join(', ')}, which begins with '${text.split('\n', 1)[0]}'`,
        `${NAME_IT}, or map each line to an event: --map '${mapping}'`,
      ];
    }),
    ...[
      ['{"spans":[{"name":"x"}],"fields":{"message":"y"}}\n', '"spans", "fields"'],
      ['{"trace":"projects/p/traces/1","severity":"INFO"}\n', '"trace", "severity"'],
      ['{"status":"success","data":{"result":[]}}\n', '"status", "data"'],
    ].map(([text = '', keys]) => [
      text,
      `JSON with ${keys}, which begins with '${text.trim()}'`,
      `${NAME_IT}, or map each line to an event: --map 'name=$.KEY', with the key of the event names`,
    ]),
    ...[
      ['2026-11-23 01:31:02.078 <1> ready', '(?<time>\\d\\S+ [\\d:.,]+)'],
      ['2026-11-23T01:31:02Z ready', '(?<time>\\d\\S+)'],
      [
        '[2026-11-23T01:31:02.078Z] "GET / HTTP/1.1" 200',
        '\\[(?<time>[^\\]]+)\\]',
        `'[2026-11-23T01:31:02.078Z] "GET / HTTP/1.1" 200'`,
      ],
      ['[14:02:03 ready]', ''],
      ['\x1b[36m4711 x\x1b[0m ready', '', '"4711 x ready"'],
      [
        'Mon Nov 23 01:31:02 2026 ready',
        '(?<time>[A-Z][a-z]{2} [A-Z][a-z]{2} +\\d+ [\\d:.]+ \\d{4})',
      ],
    ].map(([line = '', begin = '', shown = `"${line}"`]) => [
      `${line}\n`,
      `text, which begins with ${shown}`,
      `${NAME_IT}, or describe a line: --pattern '^${begin && `${begin} `}(?<name>.*)$'`,
    ]),
    // Tried on all lines: the first alone does not tell.
    ...[
      [
        `${'2026-11-23T01:31:02Z up\n'.repeat(2000)}up\n`,
        "describe a line: --pattern '^(?<time>\\d\\S+) (?<name>.*)$' --tolerant, which skips unmatched lines (1 of 2001)",
        '2026-11-23T01:31:02Z up',
      ],
      [
        `2026-11-23T01:31:02Z up\n${'A: down\n'.repeat(9000)}`,
        "describe a line: --pattern '^(?<probe>[\\w-]+)(?: *[:|]) (?<name>.*)$' --tolerant, which skips unmatched lines (1 of 9001)",
        '2026-11-23T01:31:02Z up',
      ],
      [
        Array.from({ length: 9000 }, (_, n) => `order ${n}\n`).join(''),
        "describe a line with a regular expression that has a group called name: --pattern '^...(?<name>...)$'",
        'order 0',
      ],
    ].map(([text = '', advice, line]): [string, string, string] => [
      text,
      `text, which begins with "${line}"`,
      `${NAME_IT}, or ${advice}`,
    ]),
    [
      '#ROSBAG V2.0\n\0\x01',
      'a ROS 1 bag',
      'convert it to MCAP, for example with mcap convert IN.bag OUT.mcap; use --tolerant to read ROS 1 messages without their fields',
    ],
    [
      'SQLite format 3\0\x10',
      'a SQLite database, such as ROS 2 records',
      'convert a recording to MCAP, for example with mcap convert IN.db3 OUT.mcap',
    ],
    [
      `logs/app.log${'\0'.repeat(88)}0000644${'\0'.repeat(150)}ustar  \0`,
      'a tar archive',
      'unpack it, and import its files',
    ],
    ['PK\x03\x04app.log', 'a zip archive', 'unpack it, and import its files'],
    ['BZh91AY&SY', 'packed data', 'unpack it first: only gzip and zstd are supported directly'],
    ['ELF\r\n\0\0\n', 'binary data', `${NAME_IT}; convert anything else to session JSON Lines`],
  ])('%j: three lines, and none for each line', async (text, kind, help) => {
    expect(await told(text)).toEqual([
      `unknown format: it looks like ${kind}`,
      FORMATS_KNOWN,
      help,
    ]);
  });

  test('text in UTF-16, as PowerShell writes it, says so', async () => {
    const { problems } = await readSession(Buffer.from('\ufeffINFO start\r\n', 'utf16le'));
    expect(problems.map(({ message }) => message)).toEqual([
      'unknown format: it looks like text in UTF-16',
      FORMATS_KNOWN,
      'convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8',
    ]);
  });

  test('however long it is; tolerated, it is empty', async () => {
    const { session, problems, more, dropped } = await readSession('INFO start\n'.repeat(20_000), {
      tolerant: true,
    });
    expect([session?.size, problems.length, more, dropped.record]).toEqual([0, 3, 0, 20_000]);
  });

  test('an advised pattern reads what it was tried on', async () => {
    const half = '2026-11-23T01:31:02Z up\n'.repeat(1000);
    const text = `${half}up\n${half}`;
    const [, , advice] = await told(text);
    const pattern = /--pattern '(.*)' --tolerant, which skips unmatched lines \(1 of 2001\)/.exec(
      advice as string,
    )?.[1] as string;
    const { session, dropped } = await readSession(text, { tolerant: true, reading: { pattern } });
    expect([session?.size, dropped.record]).toEqual([2000, 1]);
  });

  test('a session whose first line is broken is still one', async () => {
    expect(await told('{"name":"x","prob\n{"probe":"A","name":"x"}\n')).toEqual([
      "1:18: not JSON: End of string '\"' expected but reached end of input",
    ]);
  });
});

describe('spans', () => {
  test.each(['otlp-trace.json', 'otlp-logs.json', 'yelp.zipkin.json'])('%s', async (name) => {
    const session = await read(fixtureText(name));
    await expect([...writeNeutral(session)].join('')).toMatchFileSnapshot(golden(`${name}l`));
  });

  test('a request through services: starts go down, ends come up', async () => {
    const session = await read(fixtureText('yelp.zipkin.json'));
    expect(interactionsOf(session).toSorted()).toMatchInlineSnapshot(`
      [
        "mobile_api: get starts -> spectre: get starts",
        "mobile_api: post /location/update/v4 ends -> yelp-main: post ends",
        "routing: post /location/update/v4 starts -> unknown: post starts",
        "routing: post /location/update/v4 starts -> yelp-main: post starts",
        "spectre: get ends -> mobile_api: get ends",
        "unknown: post ends -> routing: post /location/update/v4 ends",
        "unknown: post starts -> yelp_main/api_proxy: post api proxy proxy starts",
        "yelp-main: get my_cache_name_v2 ends -> yelp_main/api_proxy: post api proxy proxy ends",
        "yelp-main: post ends -> routing: post /location/update/v4 ends",
        "yelp-main: post starts -> mobile_api: post /location/update/v4 starts",
        "yelp-main: txn: user_get_basic_and_scout_info ends -> yelp_main/api_proxy: post api proxy proxy ends",
        "yelp_main/api_proxy: post api proxy proxy ends -> unknown: post ends",
        "yelp_main/api_proxy: post api proxy proxy starts -> yelp-main: get my_cache_name_v2 starts",
        "yelp_main/api_proxy: post api proxy proxy starts -> yelp-main: txn: user_get_basic_and_scout_info starts",
      ]
    `);
  });

  interface MadeSpan {
    readonly id: string;
    readonly service: string;
    readonly at: readonly [start: number, end: number];
    readonly parent?: string;
    readonly link?: string;
  }

  const otlp = (spans: readonly MadeSpan[]) =>
    JSON.stringify({
      resourceSpans: spans.map(({ id, service, at, parent, link }) => ({
        resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: '01',
                spanId: id,
                name: id,
                parentSpanId: parent,
                startTimeUnixNano: String(at[0]),
                endTimeUnixNano: String(at[1]),
                links: link === undefined ? [] : [{ traceId: '01', spanId: link }],
              },
            ],
          },
        ],
      })),
    });

  const order = async (spans: readonly MadeSpan[]) => interactionsOf(await read(otlp(spans)));

  test('the end of a child comes before that of its parent only where it ends no later', async () => {
    const parent = { id: 'p', service: 'A', at: [1, 9] } as const;
    const child = { id: 'c', service: 'B', parent: 'p' } as const;
    const down = 'A: p starts -> B: c starts';
    const up = 'B: c ends -> A: p ends';
    expect(await order([parent, { ...child, at: [2, 8] }])).toEqual([up, down]);
    expect(await order([parent, { ...child, at: [2, 9] }])).toEqual([up, down]);
    expect(await order([parent, { ...child, at: [2, 10] }])).toEqual([down]);
  });

  test('an end that closes a cycle is left out', async () => {
    // The clock of B is late: it says that d ended before it says that it started c, and
    // A sees the end of p before the start of q, which d is the child of.
    const spans = [
      { id: 'p', service: 'A', at: [1, 5] },
      { id: 'q', service: 'A', at: [6, 9] },
      { id: 'd', service: 'B', at: [1, 2], parent: 'q' },
      { id: 'c', service: 'B', at: [3, 4], parent: 'p' },
    ] as const;
    const reading = await readSession(otlp(spans));
    expect(interactionsOf(reading.session as Session).toSorted()).toEqual([
      'A: p starts -> B: c starts',
      'A: q starts -> B: d starts',
      'B: d ends -> A: q ends',
    ]);
    expect(reading.problems).toEqual([]);
    expect(reading.disagreements).toEqual([{ child: 'B', parent: 'A', returns: 1, offset: 2n }]);
    const clean = await readSession(otlp(spans.slice(0, 3)));
    expect(clean.disagreements).toEqual([]);
  });

  test('a linked span starts before; a child starts after its parent, whatever the clock says', async () => {
    const spans = [
      { id: 'a', service: 'A', at: [5, 6] },
      { id: 'b', service: 'B', at: [1, 2], link: 'a' },
      { id: 'c', service: 'A', at: [1, 2], parent: 'a' },
    ] as const;
    const session = await read(otlp(spans));
    expect(plain(session).events.map(brief)).toEqual([
      'A: a starts',
      'A: c starts',
      'A: c ends',
      'A: a ends',
      'B: b starts',
      'B: b ends',
    ]);
    expect(interactionsOf(session)).toEqual(['A: a starts -> B: b starts']);
  });

  test('at one time starts come before ends, outer spans around inner ones', async () => {
    const spans = [
      { id: 'inner', service: 'A', at: [5, 5], parent: 'outer' },
      { id: 'before', service: 'A', at: [1, 5] },
      { id: 'outer', service: 'A', at: [5, 5] },
    ] as const;
    const events = async (order: 'trace' | 'time') =>
      plain(await read(otlp(spans), { spans: { order } })).events.map(brief);
    expect(await events('time')).toEqual([
      'A: before starts',
      'A: outer starts',
      'A: inner starts',
      'A: inner ends',
      'A: before ends',
      'A: outer ends',
    ]);
    // What ends as another starts is not before it: both have a timeline.
    expect(await events('trace')).toEqual([
      'A: before starts',
      'A: before ends',
      'A: outer starts',
      'A: inner starts',
      'A: inner ends',
      'A: outer ends',
    ]);
  });

  test('the order of spans in a file changes nothing', async () => {
    const span = fc.record({
      service: fc.constantFrom('A', 'B', 'C'),
      at: fc.tuple(fc.nat(9), fc.nat(9)),
      parent: fc.option(fc.nat(7).map(String), { nil: undefined }),
      link: fc.option(fc.nat(7).map(String), { nil: undefined }),
    });
    const spans = fc
      .array(span, { maxLength: 8 })
      .map((list) => list.map((one, id) => ({ ...one, id: String(id) })))
      .chain((list) => fc.tuple(fc.constant(list), shuffled(list)));
    await fc.assert(
      fc.asyncProperty(spans, async ([one, other]) => {
        const clean = (list: typeof one) => otlp(list as unknown as readonly MadeSpan[]);
        const [a, b] = await Promise.all([
          readSession(clean(one), { tolerant: true, reading: { from: 'otlp' } }),
          readSession(clean(other), { tolerant: true, reading: { from: 'otlp' } }),
        ]);
        expect(plain(b.session as Session)).toEqual(plain(a.session as Session));
        expect(b.dropped).toEqual(a.dropped);
      }),
      { numRuns: runs(500) },
    );
  });

  test('OTLP JSON Lines, integers without quotes, old names, values of every type', async () => {
    const line = (id: string, value: string) =>
      `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"S"}},{"key":"host.name","value":{"stringValue":"h"}}]},"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"lib"},"spans":[{"traceId":"AA","spanId":"${id}","name":"n","kind":"SPAN_KIND_CLIENT","status":{"code":2},"startTimeUnixNano":1700000000123456789,"endTimeUnixNano":0,"attributes":[{"key":"v","value":${value}},{"key":"name","value":{"stringValue":"renamed"}},{"key":"trace.id","value":{"stringValue":"mine"}}],"events":[{"name":"e","timeUnixNano":"1700000000123456790"}]}]}]}]}`;
    const session = await read(
      `${line('1', '{"intValue":9007199254740993}')}\n${line('2', '{"doubleValue":5}')}\n${line('3', '{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":true}}]}}')}\n`,
    );
    await expect([...writeNeutral(session)].join('')).toMatchFileSnapshot(
      golden('otlp-lines.jsonl'),
    );
  });

  test('OTLP: integers in quotes, however long they are; what is none is left out', async () => {
    const written = [
      ...['0', '007', '123456789', '1000000000', '9007199254740993', '1234567890123456789'],
      ...['9223372036854775807', '18446744073709551615', '-1', '-9223372036854775808'],
    ];
    const none = [
      '',
      '-',
      '1x',
      'x123456789',
      '12345678901x',
      '1.5',
      ' 1',
      '123456789012345678901',
    ];
    const attributes = [...written, ...none].map((intValue) => ({
      ...{ key: `v${intValue}`, value: { intValue } },
    }));
    const span = { traceId: 'a', spanId: 'b', startTimeUnixNano: '1', attributes };
    const session = await read(
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    );
    const [event = {}] = plain(session).events;
    const found = Object.entries(event).filter(([key]) => key.startsWith('v'));
    const wanted = written.map((text) => [`v${text}`, `integer ${BigInt(text)}`]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  });

  test('Jaeger: references, tags with types, logs', async () => {
    const span = (spanID: string, processID: string, references: unknown[], more = {}) => ({
      traceID: 't',
      spanID,
      operationName: `op ${spanID}`,
      references,
      startTime: 1000,
      duration: 50,
      tags: [
        { key: 'http.status_code', type: 'int64', value: 200 },
        { key: 'load', type: 'float64', value: 5 },
        { key: 'error', type: 'bool', value: true },
      ],
      logs: [],
      processID,
      ...more,
    });
    const ref = (refType: string, spanID: string) => ({ refType, traceID: 't', spanID });
    const trace = {
      data: [
        {
          traceID: 't',
          spans: [
            span('1', 'p1', []),
            span('2', 'p2', [ref('CHILD_OF', '1')], {
              logs: [
                { timestamp: 1010, fields: [{ key: 'event', type: 'string', value: 'retry' }] },
              ],
            }),
            span('3', 'p1', [ref('FOLLOWS_FROM', '2')], { startTime: 2000 }),
          ],
          processes: {
            p1: { serviceName: 'front', tags: [{ key: 'ip', type: 'string', value: '10.0.0.1' }] },
            p2: { serviceName: 'back', tags: [] },
          },
        },
      ],
    };
    const session = await read(JSON.stringify(trace, null, 1));
    await expect([...writeNeutral(session)].join('')).toMatchFileSnapshot(golden('jaeger.jsonl'));
    expect(interactionsOf(session).toSorted()).toEqual([
      'back: op 2 ends -> front: op 1 ends',
      'back: op 2 starts -> front: op 3 starts',
      'front: op 1 starts -> back: op 2 starts',
    ]);
  });

  test('a span that an exporter sent again counts once, with its events', async () => {
    const zipkin = (id: string, service: string) => ({
      ...{ traceId: 't', id, name: 'n', timestamp: 5, duration: 2 },
      localEndpoint: { serviceName: service },
      annotations: [{ timestamp: 6, value: 'retry' }],
    });
    const spans = [zipkin('1', 'A'), zipkin('2', 'A'), zipkin('2', 'B')];
    const once = await readSession(JSON.stringify(spans));
    const again = await readSession(JSON.stringify([...spans, ...spans, spans[0]]));
    expect([once.session?.size, once.merged]).toEqual([9, 0]);
    expect([again.session?.size, again.merged, again.problems]).toEqual([9, 4, []]);
    expect(plain(again.session as Session)).toEqual(plain(once.session as Session));
  });

  test.each(['jaeger', 'zipkin'])('%s: halves of a span with one id', async (format) => {
    const halves = [
      // It names itself as its parent, which says nothing.
      { id: '1', parent: '1', service: 'front', kind: 'client', at: 1, took: 8 },
      { id: '1', service: 'back', kind: 'server', at: 3, took: 4 },
      { id: '2', parent: '1', service: 'back', kind: 'internal', at: 4, took: 1 },
    ];
    const zipkin = halves.map(({ id, parent, service, kind, at, took }) => ({
      ...{ traceId: 't', id, parentId: parent, name: kind, timestamp: at, duration: took },
      ...{ kind: kind.toUpperCase(), localEndpoint: { serviceName: service } },
    }));
    const jaeger = halves.map(({ id, parent = '', service, kind, at, took }) => ({
      ...{ traceID: 't', spanID: id, operationName: kind, startTime: at, duration: took },
      references: parent === '' ? [] : [{ refType: 'CHILD_OF', traceID: 't', spanID: parent }],
      tags: [{ key: 'span.kind', type: 'string', value: kind }],
      process: { serviceName: service },
    }));
    const text = JSON.stringify(format === 'zipkin' ? zipkin : { data: [{ spans: jaeger }] });
    const session = await read(text, { reading: { from: format as 'zipkin' } });
    expect(interactionsOf(session).toSorted()).toEqual([
      'back: server ends -> front: client ends',
      'front: client starts -> back: server starts',
    ]);
    expect(plain(session).events.map(brief).slice(0, 4)).toEqual([
      'back: server starts',
      'back: internal starts',
      'back: internal ends',
      'back: server ends',
    ]);
  });

  test('logs go with their span, with their trace, or with their instance', async () => {
    const service = { attributes: [{ key: 'service.name', value: { stringValue: 'A' } }] };
    const span = { traceId: '01', spanId: 'aa', name: 's' };
    const log = (name: string, time: number, of: object = {}) => ({
      ...{ timeUnixNano: String(time), eventName: name, ...of },
    });
    const logRecords = [
      log('early', 3, { traceId: '01', spanId: 'aa' }),
      log('late', 20, { traceId: '01', spanId: 'aa' }),
      log('within', 7, { traceId: '01', spanId: 'aa' }),
      log('of the trace', 8, { traceId: '01' }),
      log('alone', 6),
      log('alone too', 4),
    ];
    const text = JSON.stringify({
      resourceSpans: [
        {
          resource: service,
          scopeSpans: [{ spans: [{ ...span, startTimeUnixNano: '5', endTimeUnixNano: '9' }] }],
        },
      ],
      resourceLogs: [{ resource: service, scopeLogs: [{ logRecords }] }],
    });
    const session = await read(text);
    const { events, interactions } = plain(session);
    expect(events.map((event) => `${event['timeline']?.slice(7)}: ${brief(event)}`)).toEqual([
      'undefined: A: alone too',
      'undefined: A: alone',
      '01: A: s starts',
      '01: A: early',
      '01: A: within',
      '01: A: s ends',
      '01: A: late',
      '01 #2: A: of the trace',
    ]);
    expect(interactions).toEqual(['7 -> 6']);
    const byTime = await read(text, { spans: { order: 'time' } });
    expect(plain(byTime).events.map(brief)).toEqual([
      'A: early',
      'A: alone too',
      'A: s starts',
      'A: alone',
      'A: within',
      'A: of the trace',
      'A: s ends',
      'A: late',
    ]);
  });

  test('an attribute of a span that its resource has too keeps its name', async () => {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const span = (id: string, attributes: readonly object[]) => ({
      ...{ traceId: '01', spanId: id, name: id, attributes },
      ...{ startTimeUnixNano: '1', events: [{ name: 'e', attributes }] },
    });
    const spans = [span('a', [text('resource.pod', 'own')]), span('b', [text('x', '1')])];
    const resource = { attributes: [text('service.name', 'A'), text('pod', 'p1')] };
    const session = await read(
      JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
    );
    const both = (name: string) => ['attribute.resource.pod', 'resource.pod', name];
    expect(
      plain(session).events.map((event) => [event['name'], ...both('x').map((key) => event[key])]),
    ).toEqual([
      ['string a', 'string p1', 'string own', undefined],
      ['string e', 'string p1', 'string own', undefined],
      ['string b', undefined, 'string p1', 'string 1'],
      ['string e', undefined, 'string p1', 'string 1'],
    ]);
  });

  test('instances of a service, and probes by attributes', async () => {
    const span = (id: string, instance: string, pod?: string) => ({
      resource: {
        attributes: Object.entries({ 'service.name': 'A', 'service.instance.id': instance, pod })
          .filter(([, value]) => value !== undefined)
          .map(([key, stringValue]) => ({ key, value: { stringValue } })),
      },
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: '01', spanId: id, name: id },
              ...{ startTimeUnixNano: '1', endTimeUnixNano: '2' },
            },
          ],
        },
      ],
    });
    const text = JSON.stringify({
      resourceSpans: [span('a', 'i1', 'p1'), span('b', 'i2', 'p2'), span('c', 'i1')],
    });
    const lines = async (options: ReadOptions = {}) =>
      plain(await read(text, options))
        .events.filter((event) => event['span.start'])
        .map(({ probe, timeline, name }) => [probe, timeline, name].map((one) => one?.slice(7)));
    expect(await lines()).toEqual([
      ['A', 'i1 01', 'a'],
      ['A', 'i1 01 #2', 'c'],
      ['A', 'i2 01', 'b'],
    ]);
    expect(await lines({ spans: { order: 'time' } })).toEqual([
      ['A', 'i1', 'a'],
      ['A', 'i1', 'c'],
      ['A', 'i2', 'b'],
    ]);
    expect(await lines({ reading: { probe: ['none', 'pod'] } })).toEqual([
      ['A', '01', 'c'],
      ['p1', '01', 'a'],
      ['p2', '01', 'b'],
    ]);
  });

  test('Zipkin: one span a line is read as a list of them is', async () => {
    const spans = (JSON.parse(fixtureText('yelp.zipkin.json')) as object[]).flat();
    const lines = spans.map((span) => JSON.stringify(span)).join('\n');
    expect(plain(await read(lines))).toEqual(plain(await read(fixtureText('yelp.zipkin.json'))));
  });

  test('Jaeger: floats of tags, also as JSON has no numbers for them', async () => {
    const float = (key: string, value: unknown) => ({ key, type: 'float64', value });
    const written = ['Infinity', 'NaN', 'x', '', null, true, { a: 1 }];
    const tags = [
      ...[1, 1.5, '2.5', 1e30].map((value, at) => float(`a${at}`, value)),
      ...written.map((value, at) => float(`b${at}`, value)),
    ];
    const span = { traceID: 't', spanID: '1', operationName: 'o', startTime: 5, tags };
    const session = await read(JSON.stringify({ data: [{ spans: [span] }] }));
    const { events } = plain(session);
    const found = Object.entries(events[0] as PlainEvent).filter(([key]) => /^[ab]\d/.test(key));
    expect(Object.fromEntries(found)).toEqual({
      ...{
        a0: 'float 1',
        a1: 'float 1.5',
        a2: 'float 2.5',
        a3: 'float 1e+30',
        b0: 'float Infinity',
      },
    });
  });

  test.each([
    ['otlp', '{"foo":1}', 'a document lacks "resourceSpans" and "resourceLogs"'],
    ['otlp', '[5]', 'a document lacks "resourceSpans" and "resourceLogs"'],
    ['jaeger', '{"data":null,"errors":[{"code":404}]}', 'a trace lacks "spans"'],
    ['zipkin', '{"foo":1}', 'a span of "unknown_service" lacks a traceId and an id'],
  ] as const)('a file without what %s has: %s', async (format, text, message) => {
    expect(
      (await readSession(text, { reading: { from: format } })).problems.map(problemText),
    ).toEqual([message]);
  });

  test.each([
    ['otlp', '{"resourceMetrics":[]}', 'the file contains only metrics: expected spans or logs'],
    ['otlp', '{"resourceSpans":[]}', 'the file contains no events'],
    ['jaeger', '{"data":[]}', 'the file contains no events'],
    ['zipkin', '[]', 'the file contains no events'],
    ['shiviz', '\n', 'the file contains no events'],
    ['shiviz', '# nothing was logged\n', 'the file contains no events'],
  ] as const)(
    '%s without events is an error unless it is tolerated: %j',
    async (format, text, message) => {
      const { session, problems, dropped } = await readSession(text, { reading: { from: format } });
      expect({ session, problems: problems.map(problemText) }).toEqual({ problems: [message] });
      expect(dropped).toEqual({ record: 0, event: 0, interaction: 0 });
      expect(
        (await readSession(text, { reading: { from: format }, tolerant: true })).session?.size,
      ).toBe(0);
    },
  );

  test('metrics beside spans are passed over', async () => {
    const metrics = '{"resourceMetrics":[]}\n';
    const spans = otlp([{ id: 'p', service: 'A', at: [1, 9] }]);
    expect((await read(metrics + spans)).size).toBe(2);
  });

  test('spans that lack what they must have', async () => {
    const documents = [
      '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1"}]}]}]}',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}',
      '{"data":[{"spans":[{"traceID":"1","spanID":"2"}]}]}',
      '[{"traceId":"1","id":"2"},{"id":"2","timestamp":1}]',
      '[{"traceId":"1","id":"2"},{"traceId":"1","id":"2"},{"traceId":"2","id":"2","timestamp":1}]',
      '[{"traceId":"1","id":"2"',
    ];
    const found = await Promise.all(documents.map((text) => readSession(text)));
    expect(found.map(({ problems }) => problems.map(problemText))).toEqual([
      ['a span of "unknown_service" lacks a traceId and a spanId'],
      ['a log record of "unknown_service" lacks a time'],
      ['a span of "unknown_service" lacks a startTime'],
      [
        'a span of "unknown_service" lacks a traceId and an id',
        'the span "2" of "unknown_service", in the trace "1", lacks a timestamp',
      ],
      [
        'the span "2" of "unknown_service", in the trace "1", lacks a timestamp',
        'the span "2" of "unknown_service", in the trace "1", lacks a timestamp',
      ],
      [
        "not JSON: Quoted object key or end of object '}' expected but reached end of input at position 24",
      ],
    ]);
  });
});

test('a span of Zipkin without a time adds nothing to another report of it', async () => {
  const span = { traceId: '1', id: '2', name: 'get', localEndpoint: { serviceName: 'stock' } };
  const { session, merged, problems } = await readSession(
    JSON.stringify([span, { ...span, kind: 'SERVER', timestamp: 5, duration: 1 }, span]),
  );
  expect([session?.size, merged, problems]).toEqual([2, 2, []]);
});

test('any JSON and any text in the place of a trace is read, or said to be wrong', async () => {
  const wild = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, '', 'x', '5', 5, -1, 1.5, 2 ** 60),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          ...['resourceSpans', 'scopeSpans', 'spans', 'resource', 'attributes', 'key', 'value'],
          ...[
            'stringValue',
            'intValue',
            'traceId',
            'spanId',
            'startTimeUnixNano',
            'events',
            'data',
          ],
          ...['traceID', 'spanID', 'references', 'startTime', 'tags', 'processes', 'processID'],
          ...['id', 'timestamp', 'duration', 'localEndpoint', 'annotations', 'parentId', 'links'],
        ),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  })).value;
  const format = fc.constantFrom('otlp', 'jaeger', 'zipkin', 'shiviz', 'session', undefined);
  await fc.assert(
    fc.asyncProperty(wild, format, async (value, one) => {
      const options = one === undefined ? {} : { reading: { from: one } };
      const { session } = await readSession(JSON.stringify(value), { ...options, tolerant: true });
      expect(session).toBeDefined();
    }),
    { numRuns: runs(1000) },
  );
  await fc.assert(
    fc.asyncProperty(fc.string(), format, async (text, one) => {
      const options = one === undefined ? {} : { reading: { from: one } };
      await readSession(text, { ...options, tolerant: true });
    }),
    { numRuns: runs(500) },
  );
});
