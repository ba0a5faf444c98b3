import { describe, expect, test } from 'vitest';
import { readSession, type Session } from '../../src/session/index.js';
import { readSessionParts } from '../../src/session/read-session.js';
import { closure, plain } from './plain.js';

/* The same span as different programs write it: its ids, its parent, its status, its times. */

const WIDE = '7ca373f7c7e0f17df9965485593768ce';
const END = 'f9965485593768ce';
const NONE = '0000000000000000';

interface Span {
  readonly trace?: string;
  readonly id: string;
  readonly name?: string;
  readonly parent?: string;
  readonly service?: string;
  readonly at: number;
  readonly tags?: Readonly<Record<string, string | number | boolean>>;
}

/** Writers of a span that takes 100 microseconds. */
const WRITERS = {
  otlp: (spans: readonly Span[]) => ({
    resourceSpans: spans.map(
      ({ trace = WIDE, id, name = id, parent, service = 'a', at, tags = {} }) => ({
        resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
        scopeSpans: [
          {
            spans: [
              {
                ...{ traceId: trace, spanId: id, parentSpanId: parent, name },
                ...{ startTimeUnixNano: at * 1000, endTimeUnixNano: (at + 100) * 1000 },
                attributes: Object.entries(tags).map(([key, value]) => ({
                  key,
                  value:
                    typeof value === 'number'
                      ? { intValue: value }
                      : { [typeof value === 'boolean' ? 'boolValue' : 'stringValue']: value },
                })),
              },
            ],
          },
        ],
      }),
    ),
  }),
  jaeger: (spans: readonly Span[]) => ({
    data: [
      {
        spans: spans.map(
          ({ trace = WIDE, id, name = id, parent, service = 'a', at, tags = {} }) => ({
            ...{ traceID: trace, spanID: id, operationName: name, startTime: at, duration: 100 },
            references:
              parent === undefined ? [] : [{ refType: 'CHILD_OF', traceID: trace, spanID: parent }],
            process: { serviceName: service },
            tags: Object.entries(tags).map(([key, value]) => ({
              ...{ key, value, type: typeof value === 'number' ? 'int64' : typeof value },
            })),
          }),
        ),
      },
    ],
  }),
  zipkin: (spans: readonly Span[]) =>
    spans.map(({ trace = WIDE, id, name = id, parent, service = 'a', at, tags = {} }) => ({
      ...{ traceId: trace, id, parentId: parent, name, timestamp: at, duration: 100 },
      localEndpoint: { serviceName: service },
      tags: Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, String(value)])),
    })),
} as const;

type Format = keyof typeof WRITERS;
const FORMATS = Object.keys(WRITERS) as readonly Format[];

async function read(format: Format, spans: readonly Span[]) {
  const reading = await readSession(JSON.stringify(WRITERS[format](spans)), {
    reading: { from: format },
  });
  expect(reading.problems).toEqual([]);
  return { ...reading, session: reading.session as Session };
}

/** Pairs of spans, by name, of which the start of the first comes before that of the second. */
function startsOf(session: Session): readonly string[] {
  const { events } = plain(session);
  const isBefore = closure(session);
  const starts = events.flatMap((event, at) => (event['span.start'] ? [at] : []));
  const nameOf = (at: number) => events[at]?.['name']?.slice(7);
  return starts
    .flatMap((a) => starts.filter((b) => isBefore(a, b)).map((b) => `${nameOf(a)} ${nameOf(b)}`))
    .sort();
}

const valuesOf = (session: Session, name: string) => [
  ...new Set(plain(session).events.map((event) => event[name])),
];

/** Spans at services of their own, each the caller of the next: only the calls order them. */
const chain = (ids: readonly Partial<Span>[]): Span[] =>
  ids.map((own, index) => ({ id: '', service: `s${index}`, at: 900 - index, ...own }));

describe.each(FORMATS)('%s: one id, however it is written', (format) => {
  test.each([
    [
      'a trace id that a service cut to 64 bits',
      [{ id: '82a3' }, { id: '46df', parent: '82a3' }, { trace: END, id: '657d', parent: '46df' }],
      { 'trace.id': [WIDE], 'span.id': ['82a3', '46df', '657d'] },
    ],
    [
      'a trace id of 64 bits with zeros before it',
      [
        { trace: NONE + END, id: '1a' },
        { trace: END, id: '2b', parent: '1a' },
      ],
      { 'trace.id': [NONE + END], 'span.id': ['1a', '2b'] },
    ],
    [
      'ids in upper case',
      [{ id: '0A' }, { trace: WIDE.toUpperCase(), id: 'BC', parent: '0a' }],
      { 'trace.id': [WIDE], 'span.id': ['0a', 'bc'] },
    ],
    [
      'a span without its first zero',
      [{ id: '0123456789abcdef' }, { id: 'fedcba9876543210', parent: '123456789abcdef' }],
      {
        'span.id': ['0123456789abcdef', 'fedcba9876543210'],
        'span.parent.id': [undefined, '0123456789abcdef'],
      },
    ],
  ] as const)('%s', async (_, ids, expected) => {
    const spans = chain(ids);
    for (const list of [spans, spans.toReversed()]) {
      const { session, orphans } = await read(format, list);
      const names = spans.map(({ id }) => id);
      const pairs = names.flatMap((one, at) => names.slice(at + 1).map((two) => `${one} ${two}`));
      expect([startsOf(session), orphans]).toEqual([pairs.sort(), 0]);
      for (const [name, values] of Object.entries(expected)) {
        expect(new Set(valuesOf(session, name))).toEqual(
          new Set(
            values.map((one: string | undefined) => (one === undefined ? one : `string ${one}`)),
          ),
        );
      }
    }
  });

  test('an end that two traces have is a trace of its own, and letters are no digits', async () => {
    const spans = chain([
      { id: '1' },
      { trace: `1${WIDE.slice(1)}`, id: '1' },
      { trace: END, id: '2', parent: '1' },
      { trace: 'xyz', id: 'x1' },
      { trace: '0xyz', id: 'x2', parent: 'x1' },
    ]);
    const { session, orphans } = await read(format, spans);
    expect([startsOf(session), orphans, valuesOf(session, 'trace.id').length]).toEqual([[], 2, 5]);
  });

  test('a parent of zeros is none; one that is not there is counted', async () => {
    const { session, orphans } = await read(format, [
      { id: '1', parent: NONE, at: 1 },
      { id: '2', parent: '0', at: 2 },
      { id: '3', parent: '99', at: 3 },
      { id: '4', parent: '98', at: 4 },
      { id: '5', parent: '5', at: 5 },
      { id: '6', parent: '1', at: 6 },
    ]);
    expect(orphans).toBe(2);
    expect(valuesOf(session, 'span.parent.id')).not.toContain(`string ${NONE}`);
  });

  test('a span that was sent again in another form of its ids counts once', async () => {
    const one = { id: '0a', name: 'n', parent: '0b', at: 1, tags: { x: 'y' } };
    const { session, merged } = await read(format, [
      { ...one, id: '0A' },
      { ...one, trace: END, id: 'a', parent: 'b' },
    ]);
    expect([session.size, merged]).toEqual([2, 1]);
  });

  test.each([
    [{}, undefined],
    [{ error: true }, 'error'],
    [{ error: false }, undefined],
    [{ error: 'timed out' }, 'error'],
    [{ 'otel.status_code': 'ERROR' }, 'error'],
    [{ 'otel.status_code': 'OK', error: true, 'http.status_code': 503 }, 'ok'],
    [{ 'http.status_code': 500 }, 'error'],
    [{ 'http.response.status_code': 503 }, 'error'],
    [{ 'http.status_code': 499 }, undefined],
  ] as const)('the status of %j', async (tags, status) => {
    const { session } = await read(format, [{ id: '1', at: 1, tags }]);
    expect(valuesOf(session, 'span.status')).toEqual([status && `string ${status}`]);
  });

  test('numbers and booleans are that', async () => {
    const tags = { 'db.rows': 17, cached: true, code: '007', text: 'x' };
    const { session } = await read(format, [{ id: '1', at: 1, tags }]);
    expect(plain(session).events[0]).toMatchObject({
      'db.rows': 'integer 17',
      cached: 'boolean true',
      code: 'string 007',
      text: 'string x',
    });
  });
});

test('OTLP: a status that is set counts, one that is not gives way to HTTP', async () => {
  const words: (string | undefined)[] = [];
  for (const code of [undefined, 0, 1, 2, 'STATUS_CODE_UNSET', 'STATUS_CODE_OK']) {
    const document = WRITERS.otlp([{ id: '1', at: 1, tags: { 'http.status_code': 500 } }]);
    const [
      {
        scopeSpans: [
          {
            spans: [span],
          },
        ],
      },
    ] = document.resourceSpans as never as [{ scopeSpans: [{ spans: [object] }] }];
    Object.assign(span, { status: code === undefined ? {} : { code } });
    const { session } = await readSession(JSON.stringify(document));
    words.push(plain(session as Session).events[0]?.['span.status']?.slice(7));
  }
  expect(words).toEqual(['error', 'error', 'ok', 'error', 'error', 'ok']);
});

test.each([
  [
    'otlp',
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","startTimeUnixNano":"5000","events":[{"name":"e","timeUnixNano":"0"}]}]}]}]}',
  ],
  [
    'jaeger',
    '{"data":[{"spans":[{"traceID":"a","spanID":"b","startTime":5,"logs":[{"timestamp":0,"fields":[]}]}]}]}',
  ],
  [
    'zipkin',
    '[{"traceId":"a","id":"b","timestamp":5,"annotations":[{"timestamp":0,"value":"e"}]}]',
  ],
])('%s: the time 0 of what happened within a span is none', async (_, text) => {
  const { session } = await readSession(text);
  expect(valuesOf(session as Session, 'time')).toEqual(['integer 5000']);
});

test('a log that names a trace by its last 64 bits goes with its span in another file', async () => {
  const log = {
    timeUnixNano: '950000',
    traceId: END.toUpperCase(),
    spanId: '0a',
    eventName: 'log',
  };
  const { session } = await readSessionParts([
    { input: JSON.stringify(WRITERS.zipkin([{ id: 'a', at: 900 }])) },
    {
      input: JSON.stringify({
        resourceLogs: [
          {
            resource: { attributes: [{ key: 'service.name', value: { stringValue: 'a' } }] },
            scopeLogs: [{ logRecords: [log, { ...log, traceId: NONE + NONE, spanId: NONE }] }],
          },
        ],
      }),
    },
  ]);
  const { events } = plain(session as Session);
  expect(events.map(({ name, timeline, ...event }) => [name, timeline, event['span.id']])).toEqual([
    ['string log', undefined, undefined],
    ['string a', `string ${WIDE}`, 'string 0a'],
    ['string log', `string ${WIDE}`, 'string 0a'],
    ['string a', `string ${WIDE}`, 'string 0a'],
  ]);
});
