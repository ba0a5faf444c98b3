// Makes up a small data set in the form of Nezha's: a shop of three services, eight faults, and
// for each fault the minute before it and the two after. Nothing in it was measured.
//
//   node slice.js OUT

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DATE = '2026-01-01';
const FAULTS = [
  ['network_delay', 'shop-stock'],
  ['cpu_contention', 'shop-cart'],
  ['return', 'shop-cart'],
  ['exception', 'shop-stock'],
].flatMap((fault) => [fault, fault]);
const REQUESTS = 20;
const MILLISECOND = 1_000_000n;

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('usage: node slice.js OUT');
let state = 7;
let ids = 0;

for (const [index, minute] of ['08:00', '08:01'].entries()) {
  writeMinute('construct_data', minute, undefined, 1 + index);
}
const list = FAULTS.map(([inject_type, service], index) => {
  const start = Date.parse(`${DATE}T09:00:00Z`) + index * 600_000;
  for (const after of [0, 1, 2]) {
    const minute = new Date(start + after * 60_000).toISOString().slice(11, 16);
    // It takes a while before changed code runs.
    const isLate = inject_type === 'return' && after === 1;
    const fault = after === 0 || isLate ? undefined : { inject_type, service };
    writeMinute('rca_data', minute, fault, 3 + 3 * index + after);
  }
  const inject_time = new Date(start + 5000).toISOString().slice(0, 19).replace('T', ' ');
  return { inject_time, inject_pod: podOf(service), inject_type };
});
writeFileSync(
  join(out, `rca_data/${DATE}/${DATE}-fault_list.json`),
  JSON.stringify({ '09': list }),
);

/** The file of a minute holds what began 50 s before the time in its name, or later. */
function writeMinute(phase, minute, fault, seed) {
  state = seed * 7919;
  const spans = [];
  const logs = [];
  const end = BigInt(Date.parse(`${DATE}T${minute}:00Z`)) * MILLISECOND;
  for (let request = 0; request < REQUESTS; request += 1) {
    const start = end - 50_000n * MILLISECOND + BigInt(request * 2000) * MILLISECOND;
    order({ spans, logs, fault, trace: idOf(32), time: start });
  }
  const name = minute.replace(':', '_');
  write(`${phase}/${DATE}/trace/${name}_trace.csv`, [
    'TraceID,SpanID,ParentID,PodName,OperationName,StartTimeUnixNano,EndTimeUnixNano,Duration',
    ...spans,
  ]);
  write(`${phase}/${DATE}/log/${name}_log.csv`, [
    'Timestamp,TimeUnixNano,Node,PodName,Container,TraceID,SpanID,Log',
    ...logs,
  ]);
}

/** A request: the gateway calls the cart, and the cart calls the stock. */
function order(request) {
  const root = { service: 'shop-gateway', parent: 'root', name: '/order' };
  span(request, root, (gateway) => {
    call(
      request,
      gateway,
      'shop-cart',
      '/cart',
      (cart) => {
        span(request, { service: 'shop-cart', parent: cart, name: 'CartController.buy' }, (buy) => {
          log(request, 'shop-cart', buy, 'INFO', 'c.s.CartServiceImpl#31');
          const isWrong = fails(request, 'return', 'shop-cart');
          log(
            request,
            'shop-cart',
            buy,
            ...(isWrong ? ['ERROR', 'c.s.CartServiceImpl#37'] : ['INFO', 'c.s.CartServiceImpl#34']),
          );
          call(
            request,
            buy,
            'shop-stock',
            '/stock',
            (stock) => {
              const take = { service: 'shop-stock', parent: stock, name: 'StockController.take' };
              span(request, take, (taken) => {
                if (fails(request, 'exception', 'shop-stock')) return;
                log(request, 'shop-stock', taken, 'INFO', 's.c.StockController#12');
              });
            },
            'shop-cart',
          );
        });
      },
      'shop-gateway',
    );
  });
}

function call(request, parent, service, name, body, from) {
  span(request, { service: from, parent, name: 'HTTP POST' }, (client) => {
    if (fails(request, 'network_delay', service)) pass(request, 1000);
    span(request, { service, parent: client, name }, body);
  });
}

function span(request, { service, parent, name }, body) {
  const id = idOf(16);
  const start = request.time;
  const held = fails(request, 'cpu_contention', service) ? 90 : 1;
  pass(request, held + dice(2));
  body(id);
  pass(request, held + dice(2));
  const duration = (request.time - start) / 1000n;
  const times = `${start},${request.time},${duration}`;
  request.spans.push(`${request.trace},${id},${parent},${podOf(service)},${name},${times}`);
}

function log(request, service, id, severity, line) {
  pass(request, 0.1);
  const text = JSON.stringify({ log: `09:00:00.000 ${severity}  ${line} made up\n` });
  const cell = `"${text.replaceAll('"', '""')}"`;
  const at = `${request.time},node,${podOf(service)},server`;
  request.logs.push(`,${at},${request.trace},${id},${cell}`);
}

function fails({ fault }, kind, service) {
  return fault?.inject_type === kind && fault.service === service;
}

function pass(request, milliseconds) {
  request.time += BigInt(Math.round(milliseconds * 1_000_000));
}

function podOf(service) {
  return `${service}-5d8f-x2lq`;
}

function idOf(length) {
  ids += 1;
  return ids.toString(16).padStart(length, '0');
}

/** A number below `limit`; every run has the same sequence. */
function dice(limit) {
  state = (state * 48271) % 2147483647;
  return (limit * state) / 2147483647;
}

function write(path, lines) {
  mkdirSync(join(out, path, '..'), { recursive: true });
  writeFileSync(join(out, path), `${lines.join('\n')}\n`);
}
