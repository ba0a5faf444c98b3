/*
 * Disturbs an interface with netem, or cuts off an address or a port with nftables. On Linux, as root.
 *
 *   node network.mjs inject-netem|reset-netem NAME fault=FAULT interface=INTERFACE namespace=NAMESPACE
 *   node network.mjs inject-partition|reset-partition NAME address=ADDRESS port=PORT namespace=NAMESPACE
 *
 * Without a namespace it is that of the server. The qdisc and the table have random names, which are noted
 * in NAME.netem.state.json or NAME.state.json first: no others are ever removed.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ancestors, isToken, main, newToken, run, stateFile } from './common.mjs';

/** Where the namespace of that name is mounted. */
const pathOf = (namespace) => `/run/netns/${namespace}`;
const inside = (namespace, command, args, input) =>
  namespace ? run('ip', ['netns', 'exec', namespace, command, ...args], input) : run(command, args, input);

function checkNamespace(namespace) {
  if (!namespace) return;
  if (!/^[\w.-]+$/.test(namespace) || !existsSync(pathOf(namespace))) throw new Error(`there is no network namespace ${namespace}`);
}

/** An address of /proc/net/tcp: words of 32 bits, the four bytes of each backwards. */
function addressOf(hex) {
  const bytes = hex.match(/.{8}/g).flatMap((word) => word.match(/../g).reverse());
  const v4 = (last) => last.map((byte) => Number.parseInt(byte, 16)).join('.');
  if (bytes.length === 4) return v4(bytes);
  const text = bytes.join('');
  if (text.startsWith('00000000000000000000ffff'.toUpperCase()) || text.startsWith('00000000000000000000ffff')) return v4(bytes.slice(12));
  return text.match(/.{4}/g).join(':');
}

const isSame = (one, other) => {
  const list = new BlockList();
  list.addAddress(one, `ipv${isIP(one)}`);
  return isIP(one) === isIP(other) && list.check(other, `ipv${isIP(other)}`);
};
const isAny = (address) => isSame(address, isIP(address) === 4 ? '0.0.0.0' : '::');
const isLoopback = (address) => address.startsWith('127.') || isSame(address, isIP(address) === 4 ? '127.0.0.1' : '::1');

/** The connections of the server that runs this, and the addresses where it listens; none when run by hand. */
function serverSockets() {
  for (const { pid } of ancestors()) {
    let own = [];
    try {
      own = readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
        } catch {
          return undefined;
        }
      });
    } catch {
      return [];
    }
    const sockets = ['tcp', 'tcp6'].flatMap((table) => {
      const lines = existsSync(`/proc/${pid}/net/${table}`) ? readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1) : [];
      return lines.map((line) => line.trim().split(/\s+/)).filter((fields) => own.includes(fields[9])).map(([, local, remote, state]) => {
        const [address, port] = local.split(':');
        return { listens: state === '0A', address: addressOf(address), port: Number.parseInt(port, 16), peer: addressOf(remote.split(':')[0]) };
      });
    });
    if (sockets.some(({ listens }) => listens)) return sockets;
  }
  return [];
}

/** Whether a namespace is the one that the server is in, as this process is. */
function isOwn(namespace) {
  return !namespace || statSync(pathOf(namespace)).ino === statSync('/proc/self/ns/net').ino;
}

function refuseOwnInterface(name, namespace) {
  if (!isOwn(namespace)) return;
  if (name === 'lo') throw new Error('lo carries what is said to the server: name a network namespace');
  const [{ addr_info: addresses }] = JSON.parse(run('ip', ['-json', 'address', 'show', 'dev', name]));
  const used = serverSockets().find(({ listens, address }) =>
    listens && (isAny(address) || addresses.some(({ local }) => isSame(local, address))));
  if (used !== undefined) throw new Error(`the server listens at ${used.address}:${used.port}, which ${name} would cut off`);
}

function refuseOwnAddress(address, port, namespace) {
  if (!isOwn(namespace)) return;
  const sockets = serverSockets();
  const ofMachine = Object.values(networkInterfaces()).flat().map((one) => one.address);
  const used = sockets.find((one) =>
    (!port || one.port === port) && (!address || isLoopback(address) || isSame(one.listens ? one.address : one.peer, address) || (one.listens && isAny(one.address) && ofMachine.includes(address))));
  if (used !== undefined || (!port && isLoopback(address))) throw new Error('this would cut the server off from its clients');
}

const FAULTS = {
  delay: ({ delay, jitter }) => ({ delay, jitter }),
  loss: ({ share }) => ({ loss: share }),
  duplicate: ({ share }) => ({ duplicate: share }),
  corrupt: ({ share }) => ({ corrupt: share }),
  reorder: ({ share, delay }) => ({ reorder: share, delay }),
  rate: ({ rate }) => ({ rate }),
};

/** The qdisc for all the faults that are in force together. */
function qdiscOf(faults) {
  // A rate alone needs no netem, which not every kernel has.
  if (Object.keys(faults).join() === 'rate') return ['tbf', 'rate', `${faults.rate.rate}kbit`, 'burst', '64kb', 'limit', '100mb'];
  const all = Object.entries(faults).map(([name, params]) => FAULTS[name](params));
  const sum = (key) => all.reduce((total, one) => total + (one[key] ?? 0), 0);
  const words = ['netem', 'limit', '100000'];
  if (sum('delay') > 0 || sum('jitter') > 0) words.push('delay', `${sum('delay')}ms`, `${sum('jitter')}ms`);
  for (const key of ['loss', 'duplicate', 'corrupt', 'reorder']) {
    if (sum(key) > 0) words.push(key, `${sum(key)}%`);
  }
  if (sum('rate') > 0) words.push('rate', `${sum('rate')}kbit`);
  return words;
}

/** The qdisc at the root of an interface; undefined for none, or no interface. */
function rootOf({ namespace, interface: device }) {
  if (namespace && !existsSync(pathOf(namespace))) return undefined;
  try {
    return JSON.parse(inside(namespace, 'tc', ['-json', 'qdisc', 'show', 'dev', device])).find(({ root }) => root);
  } catch (error) {
    if (/Cannot find device/.test(error.message)) return undefined;
    throw error;
  }
}

const isFaults = (value) =>
  typeof value === 'object' && value !== null && Object.entries(value).every(([fault, params]) =>
    Object.hasOwn(FAULTS, fault) && typeof params === 'object' && params !== null && Object.values(params).every(Number.isFinite));

/** Its ids have a fault after the name, so that another kind can have that name too. */
const ofNetem = (name, { interface: device, namespace }) =>
  stateFile(`${name}.netem`, { interface: device, namespace }, { handle: (value) => /^[1-7][\da-f]{3}:$/.test(value), faults: isFaults });

/** Makes the interface what the state says. */
function applyNetem(settings, { handle, faults }) {
  const { namespace, interface: device } = settings;
  const root = rootOf(settings);
  const tc = (action, ...more) => inside(namespace, 'tc', ['qdisc', action, 'dev', device, 'root', 'handle', handle, ...more]);
  if (root?.handle === handle) tc('del');
  // The system's own qdiscs have no handle.
  else if (root !== undefined && root.handle !== '0:' && Object.keys(faults).length > 0) {
    throw new Error(`${device} has a qdisc that this did not make: ${root.kind} ${root.handle}`);
  }
  if (Object.keys(faults).length > 0) tc('add', ...qdiscOf(faults));
}

function injectNetem(name, settings, params) {
  const { fault, interface: device, namespace } = settings;
  checkNamespace(namespace);
  const file = ofNetem(name, settings);
  const state = file.read() ?? { handle: `${(0x1000 + (randomBytes(2).readUInt16BE() % 0x6fff)).toString(16)}:`, faults: {} };
  refuseOwnInterface(device, namespace);
  const root = rootOf(settings);
  if (root === undefined && !existsInterface(namespace, device)) throw new Error(`there is no interface ${device}`);
  if (root !== undefined && root.handle !== '0:' && root.handle !== state.handle) {
    throw new Error(`${device} has a qdisc that this did not make: ${root.kind} ${root.handle}`);
  }
  state.faults[fault] = params;
  file.save(state);
  applyNetem(settings, state);
}

function existsInterface(namespace, device) {
  try {
    inside(namespace, 'ip', ['link', 'show', 'dev', device]);
    return true;
  } catch {
    return false;
  }
}

function resetNetem(name, settings) {
  const file = ofNetem(name, settings);
  const state = file.read();
  if (state === undefined) return;
  delete state.faults[settings.fault];
  const isLast = Object.keys(state.faults).length === 0;
  if (!isLast) file.save(state);
  applyNetem(settings, state);
  if (isLast) file.remove();
}

const ofPartition = (name, { address, port, namespace }) => stateFile(name, { address, port, namespace }, { token: isToken });
const tableOf = (token) => `perturb_${token}`;

function injectPartition(name, settings, { direction }) {
  const { address, port: word, namespace } = settings;
  checkNamespace(namespace);
  resetPartition(name, settings);
  const port = Number(word);
  if (word && !(port >= 1 && port <= 65535 && Number.isInteger(port))) throw new Error(`${word} is not a port`);
  if (!address && !port) throw new Error('it takes an address, or a port, or both');
  if (address && (!isIP(address) || isAny(address))) throw new Error(`${address} is not the address of one host`);
  refuseOwnAddress(address, port, namespace);
  const token = newToken();
  const table = tableOf(token);
  const match = (side) => {
    const host = address ? `ip${isIP(address) === 6 ? '6' : ''} ${side === 'to' ? 'daddr' : 'saddr'} ${address}` : '';
    return `${host} ${port ? `meta l4proto { tcp, udp } th ${side === 'to' ? 'dport' : 'sport'} ${port}` : ''}`;
  };
  const sides = direction === 'both' ? ['to', 'from'] : [direction];
  const rules = ['input', 'output', 'forward'].map((hook) => [
    `add chain inet ${table} ${hook} { type filter hook ${hook} priority -300; }`,
    ...sides.map((side) => `add rule inet ${table} ${hook} ${match(side)} drop`),
  ]);
  ofPartition(name, settings).save({ token });
  // All of it or nothing.
  inside(namespace, 'nft', ['-f', '-'], `${[`create table inet ${table}`, ...rules.flat()].join('\n')}\n`);
}

function resetPartition(name, settings) {
  const { namespace } = settings;
  const state = ofPartition(name, settings).read();
  if (state === undefined) return;
  const table = tableOf(state.token);
  const isThere = !namespace || existsSync(pathOf(namespace));
  if (isThere && inside(namespace, 'nft', ['list', 'tables']).split('\n').includes(`table inet ${table}`)) {
    inside(namespace, 'nft', ['delete', 'table', 'inet', table]);
  }
  ofPartition(name, settings).remove();
}

await main({
  'inject-netem': injectNetem,
  'reset-netem': resetNetem,
  'inject-partition': injectPartition,
  'reset-partition': resetPartition,
});
