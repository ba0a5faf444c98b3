import { run } from '../shared/command.js';
import type { Params, ScriptSettings } from '../shared/script.js';
import { hasShape } from '../shared/state-file.js';
import { isFrozen, setFrozen } from './control-group.js';
import { type Attachment, type Container, inspect, isUp } from './engine.js';
import {
  type CpuLimit,
  findCpuLimit,
  findMemoryLimit,
  isCpuLimit,
  isMemoryLimit,
  limitCpus,
  limitMemory,
  type MemoryLimit,
  setCpu,
  setMemory,
} from './limits.js';
import { disconnect, findAttachments, isAttachment, reconnect } from './networks.js';
import { awaitContainerEnd, type Instance, restartContainer } from './restart.js';

/** A container's state before the fault. */
export interface ContainerState extends Instance {
  readonly networks?: readonly Attachment[];
  readonly cpu?: CpuLimit;
  readonly memory?: MemoryLimit;
}

const isOptional = (isValid: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || isValid(value);

export const isContainerState = (value: unknown): value is ContainerState =>
  hasShape<ContainerState>(value, {
    id: (id) => typeof id === 'string' && /^[\da-f]{64}$/.test(id),
    startedAt: (time) => typeof time === 'string' && /^[\d-]+T[\d:.]+(Z|[+-][\d:]+)$/.test(time),
    networks: isOptional((list) => Array.isArray(list) && list.every(isAttachment)),
    cpu: isOptional(isCpuLimit),
    memory: isOptional(isMemoryLimit),
  });

/** A type of container fault. */
interface Fault {
  /** The container states in which the fault can be injected. */
  readonly statuses: readonly string[];
  /** Returns the state to record for a reset. Throws if a reset could not restore the container. */
  readonly recordState?: (
    engine: string,
    container: Container,
    settings: ScriptSettings,
  ) => Partial<ContainerState>;
  readonly inject: (engine: string, state: ContainerState, params: Params) => void | Promise<void>;
  /** Returns the reason why a container does not currently have the fault; undefined if it does. */
  readonly explainInactive: (
    container: Container,
    state: ContainerState,
    engine: string,
    params: Params,
  ) => string | undefined;
  /** Undoes the fault, even after an interrupted injection or reset. */
  readonly reset: (
    engine: string,
    settings: ScriptSettings,
    states: readonly ContainerState[],
  ) => void | Promise<void>;
  /** True if the fault is over when its injection returns. */
  readonly isTransient?: boolean;
}

function refuseRemovedAtEnd(_engine: string, { name, isRemovedAtEnd }: Container): object {
  if (!isRemovedAtEnd) return {};
  throw new Error(`the container ${name} is removed on exit (--rm), so it could not be restarted`);
}

async function stop(engine: string, state: ContainerState, { grace }: Params): Promise<void> {
  run(engine, ['stop', '-t', `${grace}`, state.id]);
  await awaitContainerEnd(engine, state);
}

const explainRunning = (container: Container) => (isUp(container) ? 'runs' : undefined);

const RUNNING = ['running'];
const UP = ['running', 'paused'];

const FAULTS: Readonly<Record<string, Fault>> = {
  pause: {
    statuses: RUNNING,
    inject: (engine, { id }) => void run(engine, ['pause', id]),
    explainInactive: (container) =>
      container.status === 'paused' && isFrozen(container) !== false ? undefined : 'is not paused',
    reset(engine, _settings, states) {
      for (const { id } of states) unpause(engine, id);
    },
  },
  kill: {
    statuses: RUNNING,
    recordState: refuseRemovedAtEnd,
    async inject(engine, state, { signal }) {
      run(engine, ['kill', '--signal', `${signal}`, state.id]);
      await awaitContainerEnd(engine, state);
    },
    explainInactive: explainRunning,
    reset: restartContainer,
  },
  stop: {
    statuses: RUNNING,
    recordState: refuseRemovedAtEnd,
    inject: stop,
    explainInactive: explainRunning,
    reset: restartContainer,
  },
  restart: {
    statuses: RUNNING,
    recordState: refuseRemovedAtEnd,
    inject: stop,
    explainInactive: explainRunning,
    reset: restartContainer,
    isTransient: true,
  },
  network: {
    statuses: UP,
    recordState: (engine, container, { network }) => ({
      networks: findAttachments(engine, container, network),
    }),
    inject(engine, { id, networks = [] }) {
      for (const network of networks) disconnect(engine, id, network);
    },
    explainInactive(container, { networks = [] }) {
      const connectedNetwork = networks.find(
        ({ network }) => container.networks[network] !== undefined,
      );
      return connectedNetwork && `is connected to the network ${connectedNetwork.network}`;
    },
    reset(engine, _settings, states) {
      for (const { id, networks = [] } of states) {
        for (const network of networks) reconnect(engine, id, network);
      }
    },
  },
  cpu: {
    statuses: UP,
    recordState: (engine, container) => ({ cpu: findCpuLimit(engine, container) }),
    inject(engine, { id, cpu }, { cpus }) {
      if (cpu !== undefined) setCpu(engine, id, limitCpus(cpu, Number(cpus)));
    },
    explainInactive(container, _noted, engine, { cpus }) {
      const { quota, period } = findCpuLimit(engine, container);
      const isLimited = quota >= 0 && quota <= Math.round(Number(cpus) * period);
      return isLimited ? undefined : 'is not limited to the requested processors';
    },
    reset(engine, _settings, states) {
      for (const { id, cpu } of states) {
        if (cpu !== undefined) restoreLimit(engine, id, () => setCpu(engine, id, cpu));
      }
    },
  },
  memory: {
    statuses: UP,
    recordState: (engine, container) => ({ memory: findMemoryLimit(engine, container) }),
    inject(engine, { id, memory }, { size }) {
      if (memory !== undefined) setMemory(engine, id, limitMemory(memory, Number(size) * 2 ** 20));
    },
    explainInactive(container, _noted, engine, { size }) {
      const { memory } = findMemoryLimit(engine, container);
      const isLimited = memory >= 0 && memory <= Number(size) * 2 ** 20;
      return isLimited ? undefined : 'is not limited to the requested memory';
    },
    reset(engine, _settings, states) {
      for (const { id, memory } of states) {
        if (memory !== undefined) restoreLimit(engine, id, () => setMemory(engine, id, memory));
      }
    },
  },
};

/**
 * Returns the fault with a name.
 *
 * @throws Error for an unknown fault
 */
export function faultOf(word = ''): Fault {
  const fault = Object.hasOwn(FAULTS, word) ? FAULTS[word] : undefined;
  if (fault === undefined)
    throw new Error(`unknown fault ${word}, expected one of ${Object.keys(FAULTS).join(', ')}`);
  return fault;
}

/** Unpauses a container, even if an interruption has left Podman's record different from the kernel's state. */
function unpause(engine: string, id: string): void {
  const container = inspect(engine, id);
  if (container === undefined) return;
  if (container.status === 'paused') {
    if (engine === 'podman' && !isFrozen(container)) setFrozen(container, true);
    run(engine, ['unpause', id]);
  } else if (isFrozen(container)) setFrozen(container, false);
}

/**
 * Restores a limit. Ignores an error for a stopped container with Podman, because some versions store no limit for
 * stopped containers. The container then remains without a limit.
 */
function restoreLimit(engine: string, id: string, restore: () => void): void {
  const container = inspect(engine, id);
  if (container === undefined) return;
  try {
    restore();
  } catch (error) {
    if (engine !== 'podman' || isUp(container)) throw error;
  }
}
