import { expect, test } from 'vitest';
import { createLogger, type LogOptions } from '../../src/server/observe/logging.js';

function logged(
  options: Partial<LogOptions>,
  log: (logger: ReturnType<typeof createLogger>) => void,
) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  log(
    createLogger({
      format: 'json',
      level: 'info',
      color: false,
      secrets: () => [],
      write,
      ...options,
    }),
  );
  return lines;
}

test('writes one JSON object a line', () => {
  const lines = logged({}, (logger) => {
    logger.info({ event: 'reset', mutator: 'a' }, 'reset: reset');
    logger.debug('not said');
    logger.warn('twice\n');
  });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', event: 'reset', mutator: 'a', msg: 'reset: reset' },
    { level: 'warn', msg: 'twice\n' },
  ]);
  expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  expect(Date.parse(JSON.parse(lines[0] as string).time)).not.toBeNaN();
});

test('writes a line for people', () => {
  const [line] = logged({ format: 'pretty' }, (logger) => logger.info({ a: 1 }, 'hello'));
  expect(line).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: hello \{"a":1\}\n$/);
  const [colored] = logged({ format: 'pretty', color: true }, (logger) => logger.info('hello'));
  expect(colored).toContain('\x1b[32mINFO\x1b[39m');
});

test.each(['json', 'pretty'] as const)('keeps secrets out of %s', (format) => {
  const secrets = ['hush hush', 'quo"te\\', 'abc'];
  const lines = logged({ format, secrets: () => secrets }, (logger) => {
    logger.info({ reason: 'it said hush hush', 'hush hush': ['quo"te\\'], ab: 'abc' }, 'hush hush');
    logger.error({ err: new Error('stderr: hush hush') }, 'failed');
  });
  expect(lines.join('')).not.toMatch(/hush|quo/);
  expect(lines.join('')).toContain('abc');
  expect(lines.join('').match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(5);
});

test.each(['json', 'pretty'] as const)('lets no text steer a terminal in %s', (format) => {
  const evil = 'a\x1b[31m\x9b31m\x7f\\u001b\r\nb';
  const lines = logged({ format, color: false }, (logger) => {
    logger.info({ path: evil, [evil]: 1 }, 'refused');
    logger.error({ err: new Error(evil) }, 'failed');
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
  expect(lines.join('')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  if (format === 'json') expect(JSON.parse(lines[0] as string).path).toBe(evil);
});
