import { expect, test } from 'vitest';
import { startProgress } from '../../src/cli/runtime/progress.js';

/** A terminal and a clock; what was written since it was last asked for. */
function terminal(isTTY = true) {
  let written = '';
  let time = 0;
  return {
    output: {
      isTTY,
      write: (text: string) => {
        written += text;
        return true;
      },
    },
    now: () => time,
    at(ms: number) {
      time = ms;
    },
    shown() {
      const text = written;
      written = '';
      return text;
    },
  };
}

test('long work is shown from its second second on, ten times a second, and goes', () => {
  const { output, now, at, shown } = terminal();
  const progress = startProgress(output, 3, 'measurements', now);
  at(999);
  progress.step();
  progress.part(1, 2);
  expect(shown()).toBe('');
  at(1000);
  progress.part(37, 100);
  progress.part(38, 100);
  expect(shown()).toBe('\r\x1b[K1 of 3 measurements, the next at 37 %');
  at(1100);
  progress.step();
  expect(shown()).toBe('\r\x1b[K2 of 3 measurements');
  progress.end();
  expect(shown()).toBe('\r\x1b[K');
});

test('one piece of work is shown by its share alone', () => {
  const { output, now, at, shown } = terminal();
  const progress = startProgress(output, 1, 'expressions', now);
  at(5000);
  progress.part(999, 1000);
  expect(shown()).toBe('\r\x1b[K99 %');
});

test('what is quick, and what is no terminal, shows nothing', () => {
  for (const { output, now, at, shown } of [terminal(), terminal(false)]) {
    const progress = startProgress(output, 3, 'measurements', now);
    if (!output.isTTY) at(9000);
    progress.part(1, 2);
    progress.step();
    progress.end();
    expect(shown()).toBe('');
  }
});
