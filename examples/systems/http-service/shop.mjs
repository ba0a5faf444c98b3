/*
 * A shop whose product pages show a price that another service knows. Without an answer of that service, a page
 * says so, and is served all the same.
 *
 *   node shop.mjs [--prices HOST:PORT] [--timeout MS]
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const options = {
  prices: { type: 'string', default: process.env.PERTURB_PROXY ?? '127.0.0.1:7100' },
  timeout: { type: 'string' },
};
const { prices, timeout } = parseArgs({ options }).values;

async function priceOf(product) {
  // The mistake: without --timeout, a page waits for its price as long as it takes.
  const signal = timeout === undefined ? undefined : AbortSignal.timeout(Number(timeout));
  try {
    const answer = await fetch(`http://${prices}/${product}`, { signal });
    if (answer.ok) return (await answer.json()).price;
    console.error(`prices answered ${answer.status}`);
  } catch (error) {
    console.error(`no price: ${error.cause?.code ?? error.name}`);
  }
  return undefined;
}

const server = createServer(async (request, response) => {
  const product = request.url.slice(1);
  const price = await priceOf(product);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ product, price: price ?? 'on request' }));
});
const { hostname, port } = new URL('http://127.0.0.1:7000');
server.listen(Number(port), hostname);
