// Makes up traces of a shop, as a collector writes them (OTLP JSON, one batch a line): orders whose
// payment is tried up to three times, and parcels that are sent for most. The text is always the same.
//
//   node shop.js > shop.otlp.jsonl

import { pathToFileURL } from 'node:url';

const ORDERS = 40;
const EACH_BATCH = 10;
const BEGIN = 1_767_225_600_000_000_000n;
/** By how many milliseconds the clock of a service is ahead. @type {Record<string, number>} */
const AHEAD = { front: 0, stock: -1.5, pay: 4, ship: 0 };
/** Of OTLP. */
const [INTERNAL, SERVER, CONSUMER] = [1, 2, 5];
const [OK, ERROR] = [1, 2];

/** @returns {string} lines of OTLP JSON */
export function shop() {
  let seed = 7;
  /** @param {number} from @param {number} to */
  const between = (from, to) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return from + ((to - from) * seed) / 2 ** 31;
  };
  let spans = 0;
  /** @type {string[]} */
  const lines = [];
  /** @type {Record<string, object[]>} */
  let records = {};

  /** @param {string} service @param {number} ms */
  const at = (service, ms) =>
    String(BEGIN + BigInt(Math.round((ms + (AHEAD[service] ?? 0)) * 1e6)));
  /** @param {string} service @param {object} record */
  const keep = (service, record) => {
    records[service] = [...(records[service] ?? []), record];
  };
  /** @param {string} service @param {any} span in milliseconds, with others of its members as OTLP has them */
  const span = (
    service,
    { of, name, kind = SERVER, from, to, status = OK, attributes, ...rest },
  ) => {
    const spanId = hex(++spans, 16);
    const { traceId, spanId: parentSpanId } = of;
    keep(service, {
      ...{ traceId, spanId, ...(parentSpanId && { parentSpanId }), name, kind },
      ...{ startTimeUnixNano: at(service, from), endTimeUnixNano: at(service, to) },
      ...{ status: { code: status }, attributes: toList(attributes), ...rest },
    });
    return { traceId, spanId };
  };

  for (let order = 0; order < ORDERS; order += 1) {
    const traceId = hex(1000 + order, 32);
    const front = { traceId, spanId: hex(spans + 1, 16) };
    spans += 1;
    const from = order * 40 + between(0, 60);
    const checked = ['pen', 'cup'].map((item) => {
      const begun = from + between(0.5, 3);
      const to = begun + between(0.5, 12);
      const attributes = { order, item, left: Math.floor(between(0, 50)) };
      span('stock', { of: front, name: 'check', from: begun, to, attributes });
      return to;
    });
    let time = Math.max(...checked) + between(0.2, 1);
    let isPaid = false;
    for (let attempt = 1; attempt <= 3 && !isPaid; attempt += 1) {
      const to = time + between(3, 20);
      isPaid = between(0, 1) > 0.45;
      const status = isPaid ? OK : ERROR;
      const attributes = { order, attempt };
      const charge = span('pay', { of: front, name: 'charge', from: time, to, status, attributes });
      if (!isPaid) {
        const reason = ['bank', 'limit', 'timeout'][Math.floor(between(0, 3))] ?? '';
        const text = `refused by ${reason}`;
        keep('pay', {
          ...{ timeUnixNano: at('pay', to - 0.1), severityNumber: 13, severityText: 'WARN' },
          ...{ ...charge, body: { stringValue: text }, attributes: toList({ order, reason }) },
        });
        time = to + between(4, 6) * attempt;
      } else time = to;
    }
    const rendered = time + between(1, 4);
    span('front', {
      of: front,
      name: 'render',
      kind: INTERNAL,
      from: time + 0.5,
      to: rendered,
      attributes: { order },
    });
    const to = rendered + between(0.1, 5);
    const missed = { timeUnixNano: at('front', from + 0.2), name: 'cache.miss', attributes: [] };
    keep('front', {
      ...{ ...front, name: 'order', kind: SERVER },
      ...{ startTimeUnixNano: at('front', from), endTimeUnixNano: at('front', to) },
      ...{ status: { code: isPaid ? OK : ERROR }, ...(order % 3 === 0 && { events: [missed] }) },
      attributes: toList({
        ...{ order, customer: `c${Math.floor(between(0, 8))}`, code: isPaid ? 200 : 502 },
        price: Math.floor(between(100, 10_000)) / 100,
      }),
    });
    if (isPaid && between(0, 1) < 0.85) {
      const begun = to + between(20, 200);
      span('ship', {
        ...{ of: { traceId: hex(2000 + order, 32) }, name: 'send', kind: CONSUMER },
        ...{ from: begun, to: begun + between(5, 30), attributes: { order }, links: [front] },
      });
    }
    if (order % EACH_BATCH === EACH_BATCH - 1) {
      for (const [service, all] of Object.entries(records)) lines.push(...batches(service, all));
      records = {};
    }
  }
  return `${lines.join('\n')}\n`;
}

/** @param {string} service @param {object[]} all */
function batches(service, all) {
  const resource = { attributes: toList({ 'service.name': service }) };
  const logRecords = all.filter((record) => 'body' in record);
  const spans = all.filter((record) => !('body' in record));
  return [
    { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] },
    ...(logRecords.length > 0
      ? [{ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }]
      : []),
  ].map((batch) => JSON.stringify(batch));
}

/** @param {Record<string, string | number>} attributes */
function toList(attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : Number.isInteger(value) && key !== 'price'
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
}

/** @param {number} number @param {number} digits */
function hex(number, digits) {
  return number.toString(16).padStart(digits, '0');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.stdout.write(shop());
