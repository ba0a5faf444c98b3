/*
 * A shop puts orders into a queue, and billing takes them out and charges each. Both export their spans by OTLP.
 *
 *   node orders.mjs [--with-ids]
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const withIds = process.argv.includes('--with-ids');
const broker = 'http://127.0.0.1:7200';
const brokerOfShop = process.env.PERTURB_PROXY ? `http://${process.env.PERTURB_PROXY}` : broker;
const collector = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
const TRIES = 3;
const TIMEOUT_MS = 800;

const spans = { shop: [], billing: [] };
const idOf = (bytes) => randomBytes(bytes).toString('hex');
const now = () => `${Date.now()}000000`;

/** Does work in a span of a service. */
async function traced(service, name, { traceId = idOf(16), parentSpanId, order }, work) {
  const span = { traceId, spanId: idOf(8), parentSpanId, name, startTimeUnixNano: now() };
  try {
    return await work(span);
  } finally {
    const attributes = [{ key: 'order.id', value: { stringValue: order } }];
    spans[service].push({ ...span, attributes, endTimeUnixNano: now() });
  }
}

async function publish(order, { traceId, spanId: parentSpanId }) {
  const body = JSON.stringify({ order, traceId, parentSpanId });
  // The mistake: the broker cannot know a retry from another order, unless it has an id.
  const headers = withIds ? { 'message-id': order } : {};
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(brokerOfShop, { method: 'POST', headers, body, signal }).catch(() => undefined);
    if (answer?.ok) return;
  }
}

async function bill() {
  for (;;) {
    const answer = await fetch(broker);
    if (answer.status === 200) {
      const message = await answer.json();
      await traced('billing', 'charge', message, () => pause(2));
    } else await pause(10);
  }
}

async function flush() {
  const resourceSpans = Object.entries(spans).map(([service, all]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans: all }],
  }));
  const body = JSON.stringify({ resourceSpans });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${collector}/v1/traces`, { method: 'POST', headers, body });
}

bill();
const orders = Array.from({ length: 10 }, () => idOf(4));
await Promise.all(
  orders.map((order) => traced('shop', 'publish', { order }, (span) => publish(order, span))),
);
await pause(200);
await flush();
process.exit();
