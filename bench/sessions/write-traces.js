import { closeSync, openSync, writeSync } from 'node:fs';

const SERVICES = ['front', 'cart', 'stock', 'pay', 'mail'];
const SPANS = 10;
const TRACES_A_LINE = 20;

/**
 * Writes OTLP JSON Lines as the collector's file exporter does: requests of ten spans at five services,
 * with the attributes of HTTP.
 *
 * @param {string} path
 * @param {number} traces
 */
export function writeTraces(path, traces) {
  const file = openSync(path, 'w');
  for (let first = 0; first < traces; first += TRACES_A_LINE) {
    const count = Math.min(TRACES_A_LINE, traces - first);
    const spans = Array.from({ length: count }, (_, at) => spansOf(first + at)).flat();
    const resourceSpans = SERVICES.map((service) => ({
      resource: {
        attributes: texts({
          'service.name': service,
          'host.name': `${service}-host`,
          'telemetry.sdk.language': 'nodejs',
        }),
      },
      scopeSpans: [
        {
          scope: { name: '@opentelemetry/instrumentation-http' },
          spans: spans.filter((one) => one.service === service).map(({ span }) => span),
        },
      ],
    }));
    writeSync(file, `${JSON.stringify({ resourceSpans })}\n`);
  }
  closeSync(file);
}

/** @param {number} trace */
function spansOf(trace) {
  const start = 1_700_000_000_000_000_000n + BigInt(trace) * 1_000_000n;
  return Array.from({ length: SPANS }, (_, at) => {
    const begins = start + BigInt(at * 1000);
    const ends = at === 0 ? start + 900_000n : begins + BigInt(500 + ((trace * 7 + at) % 400));
    const span = {
      traceId: hex(trace, 32),
      spanId: hex(trace * SPANS + at, 16),
      ...(at > 0 && { parentSpanId: hex(trace * SPANS, 16) }),
      name: `${at % 2 === 0 ? 'GET' : 'POST'} /api/${at}`,
      kind: at === 0 ? 2 : 3,
      startTimeUnixNano: String(begins),
      endTimeUnixNano: String(ends),
      attributes: [
        ...texts({ 'http.request.method': 'GET', 'url.path': `/items/${trace % 1000}` }),
        { key: 'http.response.status_code', value: { intValue: '200' } },
        { key: 'server.port', value: { intValue: '8080' } },
        { key: 'ratio', value: { doubleValue: (trace % 1000) / 8 } },
      ],
      status: {},
    };
    return { service: at === 0 ? SERVICES[0] : SERVICES[1 + ((trace + at) % 4)], span };
  });
}

/** @param {Readonly<Record<string, string>>} attributes */
function texts(attributes) {
  return Object.entries(attributes).map(([key, text]) => ({ key, value: { stringValue: text } }));
}

/** @param {number} number @param {number} length */
function hex(number, length) {
  return (number + 1).toString(16).padStart(length, '0');
}
