import { run } from '../shared/command.js';
import { hasShape } from '../shared/state-file.js';
import { readCgroupValue } from './control-group.js';
import type { Container } from './engine.js';

/** A container's processor time per period, both in microseconds. */
export interface CpuLimit {
  /** The processor time; -1 for no limit. */
  readonly quota: number;
  readonly period: number;
  /** True if the engine stores the limit as a number of processors. The engine then refuses a quota. */
  readonly isInCpus: boolean;
}

/** A container's memory limits in bytes; -1 for no limit. */
export interface MemoryLimit {
  readonly memory: number;
  /** The limit on the sum of memory and swap. */
  readonly swap: number;
}

export const isCpuLimit = (value: unknown): value is CpuLimit =>
  hasShape<CpuLimit>(value, {
    quota: Number.isInteger,
    period: Number.isInteger,
    isInCpus: (value) => typeof value === 'boolean',
  });
export const isMemoryLimit = (value: unknown): value is MemoryLimit =>
  hasShape<MemoryLimit>(value, { memory: Number.isInteger, swap: Number.isInteger });

/** The kernel's default period, in microseconds. */
const PERIOD = 100_000;
/** Limits above any machine's processors and memory, for commands that cannot remove a limit. */
const MAX_CPUS = 1024;
const MAX_MEMORY = 2 ** 61;
const MAX_SWAP = 2 ** 62;

/**
 * Returns the current processor limit. With Podman, prefers the cgroup to the engine's record, because some versions do
 * not record updates.
 */
export function findCpuLimit(engine: string, container: Container): CpuLimit {
  if (engine === 'podman') {
    const [max = '', period] = readCgroupValue(container, '', 'cpu.max')?.split(' ') ?? [];
    if (period !== undefined) return cpuOf(max === 'max' ? -1 : Number(max), Number(period));
    const quota = readCgroupValue(container, 'cpu', 'cpu.cfs_quota_us');
    const periodText = readCgroupValue(container, 'cpu', 'cpu.cfs_period_us');
    if (quota !== undefined && periodText !== undefined)
      return cpuOf(Number(quota), Number(periodText));
  }
  const { NanoCpus: nanoCpus, CpuQuota: quota, CpuPeriod: period } = container.host;
  if (nanoCpus > 0 && quota === 0) {
    return { quota: Math.round((nanoCpus / 1e9) * PERIOD), period: PERIOD, isInCpus: true };
  }
  return cpuOf(quota, period || PERIOD);
}

function cpuOf(quota: number, period: number): CpuLimit {
  const isLimited = quota > 0 && quota < MAX_CPUS * period;
  return { quota: isLimited ? quota : -1, period, isInCpus: false };
}

/** Lowers a limit to a number of processors, unless the limit is already lower. */
export function limitCpus(limit: CpuLimit, cpus: number): CpuLimit {
  const quota = Math.round(cpus * limit.period);
  return { ...limit, quota: limit.quota < 0 ? quota : Math.min(quota, limit.quota) };
}

export function setCpu(engine: string, id: string, { quota, period, isInCpus }: CpuLimit): void {
  // Podman ignores -1.
  const unlimited = engine === 'podman' ? MAX_CPUS * period : -1;
  const args = isInCpus
    ? ['--cpus', `${quota / period}`]
    : ['--cpu-quota', `${quota < 0 ? unlimited : quota}`];
  run(engine, ['update', ...args, id]);
}

/** Returns the current memory limits. With Podman, prefers the cgroup to the engine's record, like `findCpuLimit`. */
export function findMemoryLimit(engine: string, container: Container): MemoryLimit {
  if (engine === 'podman') {
    const value = (controller: string, file: string) => {
      const text = readCgroupValue(container, controller, file);
      return text === undefined ? undefined : text === 'max' ? MAX_SWAP : Number(text);
    };
    const memory = value('', 'memory.max');
    if (memory !== undefined) {
      return memoryOf(memory, memory + (value('', 'memory.swap.max') ?? MAX_SWAP));
    }
    const legacyLimit = value('memory', 'memory.limit_in_bytes');
    if (legacyLimit !== undefined) {
      return memoryOf(legacyLimit, value('memory', 'memory.memsw.limit_in_bytes') ?? MAX_SWAP);
    }
  }
  const { Memory: memory, MemorySwap: swap } = container.host;
  return memoryOf(memory || MAX_MEMORY, swap || (memory === 0 ? MAX_SWAP : 2 * memory));
}

function memoryOf(memory: number, swap: number): MemoryLimit {
  return {
    memory: memory >= MAX_MEMORY ? -1 : memory,
    swap: swap < 0 || swap >= MAX_MEMORY ? -1 : swap,
  };
}

/** Lowers a memory limit to a number of bytes, unless the limit is already lower. Allows no additional swap. */
export function limitMemory({ memory }: MemoryLimit, bytes: number): MemoryLimit {
  const limit = memory < 0 ? bytes : Math.min(bytes, memory);
  return { memory: limit, swap: limit };
}

export function setMemory(engine: string, id: string, { memory, swap }: MemoryLimit): void {
  const bytes = [memory < 0 ? MAX_MEMORY : memory, swap < 0 ? MAX_SWAP : swap];
  run(engine, ['update', '--memory', `${bytes[0]}`, '--memory-swap', `${bytes[1]}`, id]);
}
