/*
 * A shop that orders from a warehouse. The warehouse answers after `warehouse.delay_ms` of settings.json;
 * the shop waits `timeout_ms`, and then orders again: that is the fault to be found, because the warehouse
 * may have handled the first order anyway. Events go to the session of the attempt.
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';

const { timeout_ms, warehouse } = JSON.parse(readFileSync('settings.json', 'utf8'));
const session = process.env.PERTURB_SESSION;
const file = session ? openSync(session, 'a') : process.stdout.fd;
const counts = new Map();

function record(probe, name, id) {
  const seq = counts.get(probe) ?? 0;
  counts.set(probe, seq + 1);
  const event = { probe, name, seq, time: Date.now() * 1e6, attributes: { id } };
  writeSync(file, `${JSON.stringify(event)}\n`);
}

const server = createServer((request, response) => {
  record('WAREHOUSE', 'handled', Number(request.url.slice(1)));
  setTimeout(() => response.end('ok'), warehouse.delay_ms);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${server.address().port}`;

async function order(id) {
  for (const _try of ['first', 'second']) {
    record('SHOP', 'sent', id);
    const signal = AbortSignal.timeout(timeout_ms);
    const answer = await fetch(`${url}/${id}`, { signal }).catch(() => undefined);
    if (answer?.ok) return;
  }
}
await Promise.all([1, 2, 3].map(order));
process.exit();
