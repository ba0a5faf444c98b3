import { expect, test } from 'vitest';
import { createLogger, type LogOptions } from '../../../src/server/observe/logging.js';

function logged(
  options: Partial<LogOptions>,
  log: (logger: ReturnType<typeof createLogger>) => void,
) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line) > 0;
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

test('writes a line for people, with what happened to which mutator', () => {
  const injected = {
    event: 'injection',
    mutator: 'wind',
    outcome: 'injected',
    status: 201,
    ms: 27,
  };
  const refused = { ...injected, outcome: 'refused', reasons: ['too fast', 'too late'], ms: 2 };
  const ended = { event: 'reset', mutator: 'wind', outcome: 'reset', cause: 'shutdown', ms: 3 };
  const lines = logged({ format: 'pretty' }, (logger) => {
    logger.info({ ...injected, params: { speed: '30.0', mode: 'gust' } }, 'injection: injected');
    logger.info(refused, 'injection: refused');
    logger.info({ event: 'end', signal: 'SIGINT' }, 'shutting down');
    logger.info(ended, 'reset: reset');
    logger.error({ ...ended, outcome: 'failed', reason: 'exit code 3' }, 'reset: failed');
    logger.warn({ event: 'forgotten', mutator: 'gps' }, 'forgotten');
    logger.info({ lines: 3 }, 'dropped');
  });
  expect(lines.every((line) => /^\d\d:\d\d:\d\d /.test(line))).toBe(true);
  expect(lines.map((line) => line.slice('22:50:25 '.length))).toEqual([
    'injected wind speed=30.0 mode=gust (27 ms)\n',
    'injection refused: wind: too fast; too late (2 ms)\n',
    'shutting down: SIGINT\n',
    'reset wind (at shutdown, 3 ms)\n',
    'error: reset failed: wind: exit code 3 (at shutdown, 3 ms)\n',
    'warning: forgotten: gps\n',
    'dropped lines=3\n',
  ]);
  const [colored] = logged({ format: 'pretty', color: true }, (logger) => logger.warn('hello'));
  expect(colored).toContain('\x1b[33mwarning: \x1b[39mhello');
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

test.each(['json', 'pretty'] as const)(
  'keeps a secret out of %s that is in JSON in JSON',
  (format) => {
    const secret = 'k"e\\y';
    const inner = JSON.stringify(JSON.stringify({ said: secret }));
    const lines = logged({ format, secrets: () => [secret] }, (logger) => {
      logger.info({ raw: secret, reason: `it said ${JSON.stringify(secret)}`, inner }, secret);
    });
    expect(lines.join('').match(/\[redacted\]/g)).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/[ky]"|e\\+y/);
  },
);

test('keeps a secret out that begins with another', () => {
  const lines = logged({ secrets: () => ['hush', 'hush hush'] }, (logger) => {
    logger.info('it said hush hush');
  });
  expect(JSON.parse(lines[0] as string).msg).toBe('it said [redacted]');
});

test('a secret that is also a number, a boolean or part of an escape leaves a line whole', () => {
  const secrets = () => ['true', '1000', 'info', 'event', 'nest'];
  const log = (logger: ReturnType<typeof createLogger>) =>
    logger.info({ event: 'reset', hold: true, retryInMs: 1000, reason: 'a\nest of 1000' }, 'x');
  const [json] = logged({ secrets }, log);
  expect(JSON.parse(json as string)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-/),
    event: 'reset',
    hold: true,
    retryInMs: 1000,
    reason: 'a\nest of [redacted]',
    msg: 'x',
  });
  const [pretty] = logged({ secrets, format: 'pretty' }, log);
  expect(pretty?.slice('22:50:25 '.length)).toBe(
    'x hold=true retryInMs=1000: a\\nest of [redacted]\n',
  );
});

test('drops lines that nobody takes, and says how many', () => {
  const taken: string[] = [];
  let isOpen = true;
  const write = (line: string) => isOpen && taken.push(JSON.parse(line)) > 0;
  logged({ write }, (logger) => {
    logger.info('1');
    isOpen = false;
    for (const text of ['2', '3', '4']) logger.info(text);
    isOpen = true;
    logger.info('5');
  });
  expect(taken).toMatchObject([
    { msg: '1' },
    { level: 'warn', event: 'dropped', lines: 3 },
    { msg: '5' },
  ]);
});

test.each(['json', 'pretty'] as const)('lets no text steer a terminal in %s', (format) => {
  const evil = 'a\x1b[31m\x9b31m\x7f\\u001b\r\n\u202e\u2028b';
  const lines = logged({ format, color: false }, (logger) => {
    logger.info({ path: evil, [evil]: 1 }, 'refused');
    logger.error({ err: new Error(evil) }, 'failed');
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there
  expect(lines.join('')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\p{Bidi_Control}\u2028]/u);
  if (format === 'json') expect(JSON.parse(lines[0] as string).path).toBe(evil);
});
