/*
 * Has a running toxiproxy make faults, through its HTTP API.
 *
 *   node toxiproxy.mjs inject NAME fault=FAULT api=URL proxy=PROXY < MUTATION
 *   node toxiproxy.mjs reset NAME fault=FAULT api=URL proxy=PROXY
 *
 * PROXY is a proxy that toxiproxy has already. The toxics that are added to it have random names, noted
 * in NAME-FAULT.state.json first: no others are ever changed or removed.
 */
import { randomBytes } from 'node:crypto';
import { main, readState, removeState, saveState } from './common.mjs';

const TIMEOUT_MS = 10_000;

const answers = (type, attributes) => [{ type, stream: 'downstream', attributes }];
const bothWays = (type, attributes) => ['upstream', 'downstream'].map((stream) => ({ type, stream, attributes }));

/** The toxics of each fault. */
const FAULTS = {
  // Its jitter goes both ways; ours only adds.
  latency: ({ delay, jitter }) => answers('latency', { latency: delay + Math.ceil(jitter / 2), jitter: Math.floor(jitter / 2) }),
  bandwidth: ({ rate }) => bothWays('bandwidth', { rate }),
  reset: ({ delay }) => answers('reset_peer', { timeout: delay }),
  'half-open': () => bothWays('timeout', { timeout: 0 }),
  cut: ({ after }) => answers('limit_data', { bytes: after }),
};

/** Sends a request; gives its status and what it says. */
async function send(api, method, path, body) {
  const response = await fetch(new URL(path, api.endsWith('/') ? api : `${api}/`), {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((error) => {
    const why = error.cause?.code ?? error.message;
    throw Object.assign(new Error(`no answer from the toxiproxy at ${api}: ${why}`), { isGone: why === 'ECONNREFUSED' });
  });
  return { status: response.status, said: (await response.text()).trim() };
}

const toxicsOf = (proxy) => `proxies/${encodeURIComponent(proxy)}/toxics`;

async function inject(name, { fault, api, proxy }, params) {
  await reset(name, { fault });
  const toxics = FAULTS[fault](params).map((toxic) => ({ name: `perturb-${randomBytes(8).toString('hex')}`, ...toxic }));
  const { status } = await send(api, 'GET', toxicsOf(proxy));
  if (status === 404) throw new Error(`the toxiproxy at ${api} has no proxy ${proxy}`);
  saveState(`${name}-${fault}`, { api, proxy, names: toxics.map((toxic) => toxic.name) });
  for (const toxic of toxics) {
    const { status, said } = await send(api, 'POST', toxicsOf(proxy), toxic);
    if (status !== 200) throw new Error(`toxiproxy refuses the toxic ${toxic.type}: ${status} ${said}`);
  }
}

async function reset(name, { fault }) {
  const state = readState(`${name}-${fault}`);
  for (const toxic of state?.names ?? []) {
    try {
      const { status, said } = await send(state.api, 'DELETE', `${toxicsOf(state.proxy)}/${toxic}`);
      // That it is gone is what a reset is for.
      if (status !== 204 && status !== 404) throw new Error(`toxiproxy keeps the toxic ${toxic}: ${status} ${said}`);
    } catch (error) {
      // Toxics are only in its memory: where nobody listens there are none.
      if (!error.isGone) throw error;
    }
  }
  removeState(`${name}-${fault}`);
}

await main({ inject, reset });
