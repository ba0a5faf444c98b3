import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import type { Action, Params, ScriptSettings } from '../shared/script.js';
import { isRecord, openStateFile } from '../shared/state-file.js';
import { addressesOf, checkNamespace, isPresent, runInside } from './namespaces.js';
import { DISCARD_PORT, type Packet, sendInside } from './packet.js';
import { refuseOwnInterface } from './server-sockets.js';

type Numbers = Readonly<Record<string, number>>;

/** The active faults of an interface, with their parameters, by name. */
export type NetemFaults = Readonly<Record<string, Numbers>>;

/** Functions that convert a fault's parameters to qdisc parameters, by fault. */
const FAULTS: Readonly<Record<string, (params: Numbers) => Numbers>> = {
  delay: ({ delay = 0, jitter = 0 }) => ({ delay, jitter }),
  loss: ({ share = 0 }) => ({ loss: share }),
  duplicate: ({ share = 0 }) => ({ duplicate: share }),
  corrupt: ({ share = 0 }) => ({ corrupt: share }),
  reorder: ({ share = 0, delay = 0 }) => ({ reorder: share, delay }),
  rate: ({ rate = 0 }) => ({ rate }),
};

/** Returns the tc arguments for a qdisc that applies all faults. */
export function toQdiscArguments(faults: NetemFaults): readonly string[] {
  const { rate } = faults;
  // A rate limit alone does not need netem, which some kernels lack.
  if (rate !== undefined && Object.keys(faults).length === 1) {
    return ['tbf', 'rate', `${rate['rate']}kbit`, 'burst', '64kb', 'limit', '100mb'];
  }
  const settings = Object.entries(faults).map(([name, params]) => FAULTS[name]?.(params) ?? {});
  const sum = (key: string) => settings.reduce((total, setting) => total + (setting[key] ?? 0), 0);
  const words = ['netem', 'limit', '100000'];
  if (sum('delay') > 0 || sum('jitter') > 0) {
    words.push('delay', `${sum('delay')}ms`, `${sum('jitter')}ms`);
  }
  for (const key of ['loss', 'duplicate', 'corrupt', 'reorder']) {
    if (sum(key) > 0) words.push(key, `${sum(key)}%`);
  }
  if (sum('rate') > 0) words.push('rate', `${sum('rate')}kbit`);
  return words;
}

const isNumbers = (value: unknown): value is Numbers =>
  isRecord(value) && Object.values(value).every(Number.isFinite);

export const isFaults = (value: unknown): value is NetemFaults =>
  isRecord(value) &&
  Object.entries(value).every(
    ([fault, params]) => Object.hasOwn(FAULTS, fault) && isNumbers(params),
  );

interface NetemState {
  /** The unique handle of the mutator's qdisc. */
  readonly handle: string;
  readonly faults: NetemFaults;
}

export const isHandle = (value: unknown): boolean =>
  typeof value === 'string' && /^[1-7][\da-f]{3}:$/.test(value);

const newHandle = () => `${(0x1000 + (randomBytes(2).readUInt16BE() % 0x6fff)).toString(16)}:`;

/**
 * Returns a mutator's state file. The suffix `.netem` distinguishes it from the state file of another kind of mutator
 * with the same name.
 */
const stateOf = (name: string, { interface: device, namespace }: ScriptSettings) =>
  openStateFile<NetemState>(
    `${name}.netem`,
    { interface: device, namespace },
    { handle: isHandle, faults: isFaults },
  );

interface Qdisc {
  readonly kind: string;
  readonly handle: string;
  readonly root?: boolean;
  /** Numbers of sent, dropped and queued packets. */
  readonly packets?: number;
  readonly drops?: number;
  readonly qlen?: number;
}

/** Returns an interface's root qdisc; undefined if the qdisc or the interface does not exist. */
function readRoot({ namespace, interface: device = '' }: ScriptSettings): Qdisc | undefined {
  if (!isPresent(namespace)) return undefined;
  try {
    const output = runInside(namespace, 'tc', [
      '-json',
      '-statistics',
      'qdisc',
      'show',
      'dev',
      device,
    ]);
    return (JSON.parse(output) as readonly Qdisc[]).find(({ root }) => root);
  } catch (error) {
    if (/Cannot find device/.test(String(error))) return undefined;
    throw error;
  }
}

/** Throws an Error for another program's qdisc. The system's own qdiscs have no handle. */
function refuseForeign(device: string, root: Qdisc | undefined, handle: string): void {
  if (root === undefined || root.handle === '0:' || root.handle === handle) return;
  throw new Error(`${device} has a qdisc from another program: ${root.kind} ${root.handle}`);
}

/** Configures an interface's qdisc for a state. */
function apply(settings: ScriptSettings, { handle, faults }: NetemState): void {
  const { namespace, interface: device = '' } = settings;
  const root = readRoot(settings);
  const isEmpty = Object.keys(faults).length === 0;
  const tc = (action: string, words: readonly string[]) =>
    runInside(namespace, 'tc', [
      ...['qdisc', action, 'dev', device, 'root', 'handle', handle],
      ...words,
    ]);
  if (root?.handle === handle) tc('del', []);
  else if (!isEmpty) refuseForeign(device, root, handle);
  if (!isEmpty) tc('add', toQdiscArguments(faults));
}

export const injectNetem: Action = async (name, settings, params: Params) => {
  const { fault = '', interface: device = '', namespace } = settings;
  if (!Object.hasOwn(FAULTS, fault)) {
    throw new Error(`unknown fault ${fault}, expected one of ${Object.keys(FAULTS).join(', ')}`);
  }
  checkNamespace(namespace);
  const file = stateOf(name, settings);
  const { handle, faults } = file.read() ?? { handle: newHandle(), faults: {} };
  refuseOwnInterface(device, namespace);
  const root = readRoot(settings);
  if (root === undefined && !hasInterface(namespace, device)) {
    throw new Error(`there is no interface ${device}`);
  }
  refuseForeign(device, root, handle);
  if (!isNumbers(params)) throw new Error('fault parameters must be numbers');
  const state = { handle, faults: { ...faults, [fault]: params } };
  await file.save(state);
  apply(settings, state);
};

function hasInterface(namespace: string | undefined, device: string): boolean {
  try {
    runInside(namespace, 'ip', ['link', 'show', 'dev', device]);
    return true;
  } catch {
    return false;
  }
}

export const resetNetem: Action = async (name, settings) => {
  const { fault = '' } = settings;
  const file = stateOf(name, settings);
  const previous = file.read();
  if (previous === undefined) return;
  const { [fault]: _, ...faults } = previous.faults;
  const state = { ...previous, faults };
  const isEmpty = Object.keys(faults).length === 0;
  if (!isEmpty) await file.save(state);
  apply(settings, state);
  if (isEmpty) await file.remove();
};

/** Rejects unless the interface has a qdisc for the fault, and an outgoing packet reaches the qdisc. */
export const verifyNetem: Action = async (name, settings) => {
  const { fault = '', interface: device = '', namespace } = settings;
  const state = stateOf(name, settings).read();
  const rootBefore = readRoot(settings);
  const [kind] = toQdiscArguments(state?.faults ?? {});
  const hasQdisc = rootBefore?.handle === state?.handle && rootBefore?.kind === kind;
  if (!hasQdisc || rootBefore === undefined || state?.faults[fault] === undefined) {
    throw new Error(`${device} has no qdisc for ${fault}`);
  }
  const packet = createProbePacket(device, addressesOf(device, namespace));
  // If the interface cannot send this packet, for example without an address, there is nothing more to check.
  if (packet === undefined || (await sendInside(namespace, packet)) !== undefined) return;
  const rootAfter = readRoot(settings);
  if (rootAfter === undefined || countArrivals(rootAfter) <= countArrivals(rootBefore)) {
    throw new Error(`a packet sent through ${device} does not reach its qdisc`);
  }
};

const countArrivals = ({ packets = 0, drops = 0, qlen = 0 }: Qdisc) => packets + drops + qlen;

/** Returns a packet from an interface to all of its neighbours; undefined without an IPv4 address. */
export function createProbePacket(
  device: string,
  addresses: readonly string[],
): Packet | undefined {
  const localAddress = addresses.find((address) => isIP(address) === 4);
  if (localAddress === undefined) return undefined;
  // A packet to the all-hosts group is not routed, and leaves through the interface with its source address.
  return {
    address: device === 'lo' ? localAddress : '224.0.0.1',
    port: DISCARD_PORT,
    localAddress,
  };
}
