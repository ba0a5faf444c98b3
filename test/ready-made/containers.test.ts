import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Container,
  HostConfig,
  NetworkSettings,
} from '../../src/ready-made/containers/engine.js';
import { faultOf, isContainerState } from '../../src/ready-made/containers/faults.js';
import {
  findCpuLimit,
  findMemoryLimit,
  isCpuLimit,
  isMemoryLimit,
  limitCpus,
  limitMemory,
} from '../../src/ready-made/containers/limits.js';
import { findAttachments, isAttachment } from '../../src/ready-made/containers/networks.js';

const NONE: HostConfig = { NanoCpus: 0, CpuQuota: 0, CpuPeriod: 0, Memory: 0, MemorySwap: 0 };
const ID = `0a1b2c3d4e5f${'6'.repeat(52)}`;

function container(
  host: Partial<HostConfig>,
  networks: Readonly<Record<string, Partial<NetworkSettings>>> = {},
): Container {
  const unset = {
    ...{ IPAddress: '', GlobalIPv6Address: '', IPAMConfig: null },
    ...{ Aliases: null, Links: null, DriverOpts: null },
  };
  return {
    ...{ id: ID, name: 'web', labels: {}, status: 'running', pid: 0 },
    ...{ startedAt: '2026-01-01T00:00:00Z', health: undefined, isRemovedAtEnd: false },
    host: { ...NONE, ...host },
    networks: Object.fromEntries(
      Object.entries(networks).map(([name, settings]) => [name, { ...unset, ...settings }]),
    ),
  };
}

test.each([
  [{}, { quota: -1, period: 100_000, isInCpus: false }],
  [{ CpuQuota: -1 }, { quota: -1, period: 100_000, isInCpus: false }],
  [
    { CpuQuota: 5_000, CpuPeriod: 20_000 },
    { quota: 5_000, period: 20_000, isInCpus: false },
  ],
  [{ NanoCpus: 1.5e9 }, { quota: 150_000, period: 100_000, isInCpus: true }],
  // Podman gives the same limit in both ways, and takes a quota.
  [
    { NanoCpus: 5e8, CpuQuota: 50_000, CpuPeriod: 100_000 },
    { quota: 50_000, period: 100_000, isInCpus: false },
  ],
  // What an earlier reset has set where there was no limit.
  [{ CpuQuota: 102_400_000 }, { quota: -1, period: 100_000, isInCpus: false }],
])('the limit of processors in %j is %j', (host, limit) => {
  expect(findCpuLimit('docker', container(host))).toEqual(limit);
});

test.each([
  [{}, { memory: -1, swap: -1 }],
  [{ Memory: 1e6 }, { memory: 1e6, swap: 2e6 }],
  [
    { Memory: 1e6, MemorySwap: -1 },
    { memory: 1e6, swap: -1 },
  ],
  [
    { Memory: 1e6, MemorySwap: 3e6 },
    { memory: 1e6, swap: 3e6 },
  ],
  [
    { Memory: 2 ** 61, MemorySwap: 2 ** 62 },
    { memory: -1, swap: -1 },
  ],
])('the limit of memory in %j is %j', (host, limit) => {
  expect(findMemoryLimit('docker', container(host))).toEqual(limit);
});

test('a fault never raises a limit', () => {
  const limit = fc.oneof(fc.constant(-1), fc.integer({ min: 1_000, max: 10_000_000 }));
  const isAtMost = (one: number, other: number) => other < 0 || (one > 0 && one <= other);
  fc.assert(
    fc.property(limit, fc.double({ min: 0.01, max: 64, noNaN: true }), (quota, cpus) => {
      const before = { quota, period: 100_000, isInCpus: false };
      const after = limitCpus(before, cpus);
      expect(isCpuLimit(after)).toBe(true);
      expect(isAtMost(after.quota, quota) && after.quota <= Math.round(cpus * 100_000)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(limit, limit, fc.integer({ min: 1, max: 1e9 }), (memory, swap, bytes) => {
      const after = limitMemory({ memory, swap }, bytes);
      expect(isMemoryLimit(after)).toBe(true);
      expect([isAtMost(after.memory, memory), after.memory <= bytes, after.swap]).toEqual([
        ...[true, true, after.memory],
      ]);
    }),
  );
});

test('what is noted of a network is what a reset needs, without what the engine adds', () => {
  const own = container(
    {},
    {
      none: {},
      front: { Aliases: ['0a', 'web', ID.slice(0, 12)], IPAddress: '10.0.0.2' },
      back: {
        IPAMConfig: { IPv4Address: '10.1.0.9', IPv6Address: 'fd00::9' },
        IPAddress: '10.1.0.9',
      },
    },
  );
  expect(findAttachments('docker', own, undefined)).toEqual([
    { network: 'front', aliases: ['0a', 'web'], addresses: [] },
    { network: 'back', aliases: [], addresses: ['10.1.0.9', 'fd00::9'] },
  ]);
  expect(findAttachments('podman', own, 'front')).toEqual([
    { network: 'front', aliases: ['0a', 'web'], addresses: ['10.0.0.2'] },
  ]);
  expect(findAttachments('docker', own, undefined).every(isAttachment)).toBe(true);
});

test.each([
  [{}, undefined, 'the container web is not connected to a network of its own'],
  [{ host: {} }, undefined, 'the container web is not connected to a network of its own'],
  [{ front: {} }, 'back', 'the container web is not connected to the network back'],
  [
    { front: { Links: ['db:db'] } },
    undefined,
    'the container web has links or driver options in the network front, which a reset could not restore',
  ],
  [
    { front: { DriverOpts: { mtu: '900' } } },
    undefined,
    'the container web has links or driver options in the network front, which a reset could not restore',
  ],
])('the networks %j, of which %s is meant, are refused', (networks, only, message) => {
  expect(() => findAttachments('docker', container({}, networks), only)).toThrow(
    new Error(message),
  );
});

test('only what a mutator notes counts as noted', () => {
  const noted = { id: ID, startedAt: '2026-11-29T09:06:21.88470663Z' };
  const network = { network: 'front', aliases: ['web'], addresses: ['10.0.0.2', 'fd00::9'] };
  for (const one of [
    noted,
    { ...noted, startedAt: '2026-11-29T09:06:21.88470663+01:00' },
    { ...noted, networks: [network], memory: { memory: -1, swap: -1 } },
    { ...noted, cpu: { quota: -1, period: 1, isInCpus: true } },
  ]) {
    expect([one, isContainerState(one)]).toEqual([one, true]);
  }
  for (const one of [
    { ...noted, id: 'web' },
    { ...noted, id: '--all' },
    { ...noted, startedAt: 'now' },
    { ...noted, networks: [{ ...network, network: '--help' }] },
    { ...noted, networks: [{ ...network, aliases: ['-x'] }] },
    { ...noted, networks: [{ ...network, addresses: ['web'] }] },
    { ...noted, memory: { memory: '1', swap: -1 } },
    { ...noted, path: '/etc' },
  ]) {
    expect([one, isContainerState(one)]).toEqual([one, false]);
  }
});

test('a container shows whether it is disturbed', () => {
  const noted = {
    ...{ id: ID, startedAt: '2026-01-01T00:00:00Z' },
    networks: [{ network: 'front', aliases: [], addresses: [] }],
  };
  const limits = { CpuQuota: 5_000, CpuPeriod: 100_000, Memory: 2 ** 20 };
  const params = { cpus: 0.05, size: 1 };
  const up = container({}, { front: {} });
  const disturbed = container(limits);
  for (const [fault, now, reason] of [
    ['pause', up, 'is not paused'],
    ['pause', { ...up, status: 'paused' }, undefined],
    ['kill', { ...up, status: 'running' }, 'runs'],
    ['stop', { ...up, status: 'exited' }, undefined],
    ['network', up, 'is connected to the network front'],
    ['network', disturbed, undefined],
    ['cpu', up, 'is not limited to the requested processors'],
    ['cpu', disturbed, undefined],
    [
      'cpu',
      container({ ...limits, CpuQuota: 5_001 }),
      'is not limited to the requested processors',
    ],
    ['memory', up, 'is not limited to the requested memory'],
    ['memory', disturbed, undefined],
    ['memory', container({ ...limits, Memory: 2 ** 21 }), 'is not limited to the requested memory'],
  ] as const) {
    const { explainInactive: objection } = faultOf(fault);
    expect([fault, objection(now, noted, 'docker', params)]).toEqual([fault, reason]);
  }
});

test('a fault that there is not is named with those that there are', () => {
  for (const word of ['freeze', 'toString', undefined]) {
    expect(() => faultOf(word)).toThrow(
      `unknown fault ${word ?? ''}, expected one of pause, kill, stop, restart, network, cpu, memory`,
    );
  }
});
