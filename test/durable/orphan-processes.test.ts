import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseProcessStat } from '../../src/durable/orphan-processes.js';

/** A line of proc(5): the second field holds anything, and some of the others are given by their numbers. */
function statOf(state: string, fields: Readonly<Record<number, number>>, name = 'sh'): string {
  const rest = Array.from({ length: 49 }, (_, at) => fields[at + 4] ?? 0);
  return `71 (${name}) ${state} ${rest.join(' ')}\n`;
}

const [SESSION, FLAGS, ENV_START, ENV_END] = [6, 9, 50, 51];

describe('what is known of a process by its line in /proc', () => {
  test.each([
    // The kernel sets where the environment is when the program is loaded; the arguments come first.
    ['one that loads its program', statOf('R', { [SESSION]: 7 }), true],
    ['one that waits as it loads', statOf('D', { [SESSION]: 7 }), true],
    [
      'one whose environment came since it was looked at',
      statOf('S', { [ENV_START]: 100, [ENV_END]: 200 }),
      true,
    ],
    ['one whose environment is empty', statOf('S', { [ENV_START]: 100, [ENV_END]: 100 }), false],
    ['a thread of the kernel', statOf('I', { [FLAGS]: 0x00200040 }), false],
    ['one for which no file was left to open', '', true],
  ])('%s', (_, stat, isLoading) => {
    expect(parseProcessStat(stat)?.isLoading).toBe(isLoading);
  });

  test.each(['Z', 'X'])('one that has ended, in state %s, is none', (state) => {
    expect(parseProcessStat(statOf(state, {}))).toBeUndefined();
  });

  test('its session, whatever it is called', () => {
    expect(parseProcessStat(statOf('S', { [SESSION]: 42 }, 'a) R 1 2 (b'))?.session).toBe(42);
  });

  test.runIf(process.platform === 'linux')('this process, which has an environment', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const own = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect(parseProcessStat(stat)?.session).toBe(Number(own[3]));
    expect(Number(own[ENV_END - 3])).toBeGreaterThan(Number(own[ENV_START - 3]));
  });
});
