import { run } from '../shared/command.js';
import type { Params, ScriptSettings } from '../shared/script.js';
import { hasShape } from '../shared/state-file.js';
import { isFrozen, setFrozen } from './control-group.js';
import { type Attachment, type Container, inspect, isUp } from './engine.js';
import {
  atMostBytes,
  atMostCpus,
  type CpuLimit,
  cpuLimit,
  isCpuLimit,
  isMemoryLimit,
  type MemoryLimit,
  memoryLimit,
  setCpu,
  setMemory,
} from './limits.js';
import { attachments, disconnect, isAttachment, reconnect } from './networks.js';
import { ended, type Instance, startAgain } from './restart.js';

/** The state of a container before it was disturbed. */
export interface Noted extends Instance {
  readonly networks?: readonly Attachment[];
  readonly cpu?: CpuLimit;
  readonly memory?: MemoryLimit;
}

const orNothing = (is: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || is(value);

export const isNoted = (value: unknown): value is Noted =>
  hasShape<Noted>(value, {
    id: (id) => typeof id === 'string' && /^[\da-f]{64}$/.test(id),
    startedAt: (time) => typeof time === 'string' && /^[\d-]+T[\d:.]+(Z|[+-][\d:]+)$/.test(time),
    networks: orNothing((list) => Array.isArray(list) && list.every(isAttachment)),
    cpu: orNothing(isCpuLimit),
    memory: orNothing(isMemoryLimit),
  });

/** A way to disturb containers. */
interface Fault {
  /** The states in which a container can be disturbed in this way. */
  readonly statuses: readonly string[];
  /** Returns the state that a reset needs; throws if it could not restore the container. */
  readonly note?: (
    engine: string,
    container: Container,
    settings: ScriptSettings,
  ) => Partial<Noted>;
  readonly inject: (engine: string, noted: Noted, params: Params) => void | Promise<void>;
  /** Explains why a container is not currently disturbed in this way; undefined if it is. */
  readonly objection: (
    now: Container,
    noted: Noted,
    engine: string,
    params: Params,
  ) => string | undefined;
  /** Undoes the fault after any part of an injection or another reset. */
  readonly reset: (
    engine: string,
    settings: ScriptSettings,
    noted: readonly Noted[],
  ) => void | Promise<void>;
  /** True if it ends with its injection. */
  readonly isTransient?: boolean;
}

function refuseRemovedAtEnd(_engine: string, { name, isRemovedAtEnd }: Container): object {
  if (!isRemovedAtEnd) return {};
  throw new Error(
    `the container ${name} is removed when it ends (--rm), so it could not be started again`,
  );
}

async function stop(engine: string, noted: Noted, { grace }: Params): Promise<void> {
  run(engine, ['stop', '-t', `${grace}`, noted.id]);
  await ended(engine, noted);
}

const whileUp = (now: Container) => (isUp(now) ? 'runs' : undefined);

const RUNNING = ['running'];
const UP = ['running', 'paused'];

const FAULTS: Readonly<Record<string, Fault>> = {
  pause: {
    statuses: RUNNING,
    inject: (engine, { id }) => void run(engine, ['pause', id]),
    objection: (now) =>
      now.status === 'paused' && isFrozen(now) !== false ? undefined : 'is not paused',
    reset(engine, _settings, noted) {
      for (const { id } of noted) unpause(engine, id);
    },
  },
  kill: {
    statuses: RUNNING,
    note: refuseRemovedAtEnd,
    async inject(engine, noted, { signal }) {
      run(engine, ['kill', '--signal', `${signal}`, noted.id]);
      await ended(engine, noted);
    },
    objection: whileUp,
    reset: startAgain,
  },
  stop: {
    statuses: RUNNING,
    note: refuseRemovedAtEnd,
    inject: stop,
    objection: whileUp,
    reset: startAgain,
  },
  restart: {
    statuses: RUNNING,
    note: refuseRemovedAtEnd,
    inject: stop,
    objection: whileUp,
    reset: startAgain,
    isTransient: true,
  },
  network: {
    statuses: UP,
    note: (engine, container, { network }) => ({
      networks: attachments(engine, container, network),
    }),
    inject(engine, { id, networks = [] }) {
      for (const network of networks) disconnect(engine, id, network);
    },
    objection(now, { networks = [] }) {
      const left = networks.find(({ network }) => now.networks[network] !== undefined);
      return left && `is connected to the network ${left.network}`;
    },
    reset(engine, _settings, noted) {
      for (const { id, networks = [] } of noted) {
        for (const network of networks) reconnect(engine, id, network);
      }
    },
  },
  cpu: {
    statuses: UP,
    note: (engine, container) => ({ cpu: cpuLimit(engine, container) }),
    inject(engine, { id, cpu }, { cpus }) {
      if (cpu !== undefined) setCpu(engine, id, atMostCpus(cpu, Number(cpus)));
    },
    objection(now, _noted, engine, { cpus }) {
      const { quota, period } = cpuLimit(engine, now);
      const isLimited = quota >= 0 && quota <= Math.round(Number(cpus) * period);
      return isLimited ? undefined : 'may use more processors';
    },
    reset(engine, _settings, noted) {
      for (const { id, cpu } of noted) {
        if (cpu !== undefined) update(engine, id, () => setCpu(engine, id, cpu));
      }
    },
  },
  memory: {
    statuses: UP,
    note: (engine, container) => ({ memory: memoryLimit(engine, container) }),
    inject(engine, { id, memory }, { size }) {
      if (memory !== undefined) setMemory(engine, id, atMostBytes(memory, Number(size) * 2 ** 20));
    },
    objection(now, _noted, engine, { size }) {
      const { memory } = memoryLimit(engine, now);
      const isLimited = memory >= 0 && memory <= Number(size) * 2 ** 20;
      return isLimited ? undefined : 'may use more memory';
    },
    reset(engine, _settings, noted) {
      for (const { id, memory } of noted) {
        if (memory !== undefined) update(engine, id, () => setMemory(engine, id, memory));
      }
    },
  },
};

/** @throws Error for an unknown fault */
export function faultOf(word = ''): Fault {
  const fault = Object.hasOwn(FAULTS, word) ? FAULTS[word] : undefined;
  if (fault === undefined) throw new Error(`${word} is none of ${Object.keys(FAULTS).join(', ')}`);
  return fault;
}

/** Continues a container, also where Podman was interrupted and its record differs from the kernel's state. */
function unpause(engine: string, id: string): void {
  const now = inspect(engine, id);
  if (now === undefined) return;
  if (now.status === 'paused') {
    if (engine === 'podman' && !isFrozen(now)) setFrozen(now, true);
    run(engine, ['unpause', id]);
  } else if (isFrozen(now)) setFrozen(now, false);
}

/** Restores a limit. Some versions of Podman keep none for a container that does not run, so none is left. */
function update(engine: string, id: string, set: () => void): void {
  const now = inspect(engine, id);
  if (now === undefined) return;
  try {
    set();
  } catch (error) {
    if (engine !== 'podman' || isUp(now)) throw error;
  }
}
