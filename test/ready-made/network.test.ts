import { expect, test } from 'vitest';
import {
  isLoopback,
  isSameAddress,
  isUnspecified,
  parseProcAddress,
} from '../../src/ready-made/network/addresses.js';
import {
  createProbePacket,
  isFaults,
  isHandle,
  toQdiscArguments,
} from '../../src/ready-made/network/netem.js';
import {
  createPacket,
  createTableCommands,
  parseTarget,
} from '../../src/ready-made/network/partition.js';
import { isCutOff, parseSockets } from '../../src/ready-made/network/server-sockets.js';

test.each([
  ['0100007F', '127.0.0.1'],
  ['0A02A8C0', '192.168.2.10'],
  ['0000000000000000FFFF00000100007F', '127.0.0.1'],
  ['00000000000000000000000001000000', '0000:0000:0000:0000:0000:0000:0000:0001'],
])('the address %s of /proc/net/tcp is %s', (hex, address) => {
  expect(parseProcAddress(hex)).toBe(address);
});

test('an address is the same in each notation', () => {
  for (const [one, other, isSame] of [
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['0.0.0.0', '::', false],
  ] as const) {
    expect([one, other, isSameAddress(one, other)]).toEqual([one, other, isSame]);
  }
  expect([isUnspecified('0.0.0.0'), isUnspecified('0::0'), isUnspecified('::1')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(['127.8.9.1', '::1', '10.0.0.1'].map(isLoopback)).toEqual([true, true, false]);
});

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1
   1: 0A02A8C0:1F90 0B02A8C0:C000 01 00000000:00000000 00:00000000 00000000     0        0 222 1
   2: 0A02A8C0:0016 0B02A8C0:C001 01 00000000:00000000 00:00000000 00000000     0        0 333 1
`;

test('of a table of sockets, those of the server count', () => {
  expect(parseSockets(TABLE, new Set(['111', '222']))).toEqual([
    { listens: true, address: '127.0.0.1', port: 8080, peer: '0.0.0.0' },
    { listens: false, address: '192.168.2.10', port: 8080, peer: '192.168.2.11' },
  ]);
  expect(parseSockets('', new Set(['111']))).toEqual([]);
});

test('a socket needs the loopback, the address at which it listens, and that of its peer', () => {
  const own = { listens: true, address: '0.0.0.0', port: 8080, peer: '0.0.0.0' };
  const open = { listens: false, address: '192.168.2.10', port: 8080, peer: '192.168.2.11' };
  for (const [socket, address, isNeeded] of [
    [own, '127.0.0.1', true],
    [own, '192.168.2.10', true],
    [own, '192.0.2.1', false],
    [{ ...own, address: '192.168.2.10' }, '192.168.2.10', true],
    [{ ...own, address: '192.168.2.10' }, '192.168.2.9', false],
    [open, '192.168.2.11', true],
    [open, '192.168.2.10', false],
  ] as const) {
    expect([address, isCutOff(socket, address, ['192.168.2.10'])]).toEqual([address, isNeeded]);
  }
});

test.each([
  [{ rate: { rate: 2_000 } }, 'tbf rate 2000kbit burst 64kb limit 100mb'],
  [{ delay: { delay: 50, jitter: 5 } }, 'netem limit 100000 delay 50ms 5ms'],
  [{ delay: { delay: 0, jitter: 0 } }, 'netem limit 100000'],
  [{ loss: { share: 1.5 }, corrupt: { share: 2 } }, 'netem limit 100000 loss 1.5% corrupt 2%'],
  [
    { reorder: { share: 50, delay: 10 }, delay: { delay: 50, jitter: 0 }, rate: { rate: 8 } },
    'netem limit 100000 delay 60ms 0ms reorder 50% rate 8kbit',
  ],
  [{ duplicate: { share: 9 } }, 'netem limit 100000 duplicate 9%'],
])('the qdisc for %j is %s', (faults, words) => {
  expect(toQdiscArguments(faults).join(' ')).toBe(words);
});

test('only faults with numbers, and handles of the mutator, count as noted', () => {
  expect([{}, { loss: { share: 1 } }].map(isFaults)).toEqual([true, true]);
  for (const value of [
    null,
    [],
    { other: {} },
    { loss: 1 },
    { loss: { share: '1; drop' } },
    { loss: [] },
    JSON.parse('{"toString":{}}'),
  ]) {
    expect([value, isFaults(value)]).toEqual([value, false]);
  }
  expect(['1001:', '7fff:', '1:', '8001:', '1001', 4097].map(isHandle)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
});

test.each([
  [
    { address: '192.0.2.1', port: '' },
    { address: '192.0.2.1', port: undefined },
  ],
  [
    { address: '', port: '5432' },
    { address: undefined, port: 5432 },
  ],
  [
    { address: '2001:db8::1', port: '1' },
    { address: '2001:db8::1', port: 1 },
  ],
])('%j names a target', (settings, target) => {
  expect(parseTarget(settings)).toEqual(target);
});

test.each([
  [{}, 'expected an address, a port, or both'],
  [{ port: '0' }, '0 is not a port'],
  [{ port: '65536' }, '65536 is not a port'],
  [{ port: '1-9' }, '1-9 is not a port'],
  [{ address: '10.0.0.0/8' }, '10.0.0.0/8 is not the address of one host'],
  [{ address: '::', port: '1' }, ':: is not the address of one host'],
  [{ address: 'db; flush ruleset' }, 'db; flush ruleset is not the address of one host'],
])('%j names no target', (settings, message) => {
  expect(() => parseTarget(settings)).toThrow(new Error(message));
});

test('a table drops the packets of a target at each hook, in the directions asked for', () => {
  const rules = (target: object, direction: string) =>
    createTableCommands('t', target, direction)
      .split('\n')
      .filter((line) => line.startsWith('add rule inet t output '))
      .map((line) => line.replace('add rule inet t output ', ''));
  expect(rules({ address: '192.0.2.1' }, 'both')).toEqual([
    'ip daddr 192.0.2.1 drop',
    'ip saddr 192.0.2.1 drop',
  ]);
  expect(rules({ address: '2001:db8::1', port: 5432 }, 'to')).toEqual([
    'ip6 daddr 2001:db8::1 meta l4proto { tcp, udp } th dport 5432 drop',
  ]);
  expect(rules({ port: 5432 }, 'from')).toEqual(['meta l4proto { tcp, udp } th sport 5432 drop']);
  expect(createTableCommands('t', { port: 1 }, 'to').split('\n')).toEqual([
    'create table inet t',
    ...['input', 'output', 'forward'].flatMap((hook) => [
      `add chain inet t ${hook} { type filter hook ${hook} priority -300; }`,
      `add rule inet t ${hook} meta l4proto { tcp, udp } th dport 1 drop`,
    ]),
    '',
  ]);
});

test.each([
  [{ address: '192.0.2.1' }, 'both', { address: '192.0.2.1', port: 9 }],
  [{ address: '2001:db8::1', port: 5432 }, 'to', { address: '2001:db8::1', port: 5432 }],
  [{ port: 5432 }, 'both', { address: '127.0.0.1', port: 5432 }],
  [{ port: 5432 }, 'from', { address: '127.0.0.1', port: 9, localPort: 5432 }],
  // Only the other host sends these.
  [{ address: '192.0.2.1' }, 'from', undefined],
  [{ address: '192.0.2.1', port: 5432 }, 'from', undefined],
])(
  'for the target %j and the direction %s, the packet %j is to be dropped',
  (target, direction, packet) => {
    expect(createPacket(target, direction)).toEqual(packet);
  },
);

test('a packet that leaves an interface goes to its neighbours, by an address of its own', () => {
  expect(createProbePacket('lo', ['127.0.0.1', '::1'])).toEqual({
    ...{ address: '127.0.0.1', port: 9, localAddress: '127.0.0.1' },
  });
  expect(createProbePacket('eth0', ['fe80::1', '192.0.2.7'])).toEqual({
    ...{ address: '224.0.0.1', port: 9, localAddress: '192.0.2.7' },
  });
  expect(createProbePacket('eth0', ['fe80::1'])).toBeUndefined();
});
