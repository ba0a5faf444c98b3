import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLong } from '../../long.js';
import { openBench } from './bench.js';

/*
 * Runs judged by the log that a program writes anyway. The program has its log renamed under it twice, and truncated
 * once, while the run reads. What the run stored is counted here by JSON.parse and nothing else.
 */

const LINES = isLong ? 100_000 : 2_000;

/** The last line before the truncation: the program waits until the run has seen it. */
const SEEN = LINES / 2 - 1;

/**
 * Writes numbered lines, in pieces that end anywhere. At a quarter and at three quarters of them its log is renamed: it
 * goes on in the renamed file, makes a new one, and still writes a little to the old one, as servers with several
 * processes do. At half of them it waits for a mutation, which the run makes when it has read so far, and truncates.
 */
const WRITER = `
import { closeSync, existsSync, openSync, renameSync, truncateSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { lineOf } from './line.mjs';
let log = openSync('app.log', 'a');
let n = 0;
const write = (file, end) => {
  while (n < end) {
    let text = '';
    for (const to = Math.min(n + 100, end); n < to; n++) text += lineOf(n) + '\\n';
    const cut = n % text.length;
    writeSync(file, text.slice(0, cut));
    writeSync(file, text.slice(cut));
  }
};
const rotate = async (at) => {
  write(log, at - 100);
  renameSync('app.log', 'app.log.' + at);
  write(log, at);
  const old = log;
  log = openSync('app.log', 'a');
  write(log, at + 50);
  await pause(100);
  write(old, at + 100);
  closeSync(old);
};
await rotate(${LINES / 4});
write(log, ${SEEN} + 1);
while (!existsSync('level') && !existsSync('mode')) await pause(5);
truncateSync('app.log');
await rotate(${(LINES * 3) / 4});
write(log, ${LINES});
`;

/** The same for Python's logging, whose handler notices by itself that its file was renamed. */
const PYTHON_WRITER = `
import logging.handlers, os, time
handler = logging.handlers.WatchedFileHandler("app.log")
handler.setFormatter(logging.Formatter("%(asctime)s - %(name)s - %(levelname)s - %(message)s"))
log = logging.getLogger("app")
log.addHandler(handler)
log.setLevel(logging.INFO)
for n in range(${LINES}):
    if n in (${LINES / 4}, ${(LINES * 3) / 4}):
        os.rename("app.log", "app.log.%d" % n)
    if n == ${SEEN} + 1:
        while not os.path.exists("level") and not os.path.exists("mode"):
            time.sleep(0.005)
        os.truncate("app.log", 0)
    log.info("m%d", n)
`;

interface Format {
  /** An expression in JavaScript: the line for the number n. */
  readonly line?: string;
  /** Instead of the writer in JavaScript. */
  readonly command?: readonly string[];
  readonly reading?: string;
  readonly nameOf?: (n: number) => string;
  readonly isRead: string;
}

const date = 'new Date().toISOString()';
const FORMATS: Readonly<Record<string, Format>> = {
  logfmt: { line: `'ts=' + ${date} + ' level=info msg=m' + n`, isRead: 'logfmt' },
  pino: {
    line: `(text = '', log.info('m' + n), text.trimEnd())`,
    isRead: 'pino',
  },
  nginx: {
    line: `'10.0.0.1 - - [' + ${date}.replace(/(....)-(..)-(..)T(.*)\\..*/, '$3/Nov/$1:$4 +0000') + '] "GET /m' + n + ' HTTP/1.1" 200 5 "-" "curl"'`,
    nameOf: (n) => `GET /m${n} HTTP/1.1`,
    isRead: 'nginx',
  },
  python: { command: ['python3', 'writer.py'], isRead: 'python' },
  pattern: {
    line: `'at ' + Date.now() + ': m' + n`,
    reading: `[reading.app]\nfiles = ["app.log"]\npattern = '^at (?<time>\\d+): (?<name>.*)$'\nunit = "ms"\n`,
    isRead: 'described by its mapping',
  },
};

const PINO = `import { createRequire } from 'node:module';
const pino = createRequire(${JSON.stringify(import.meta.url)})('pino');
let text;
const log = pino({ name: 'app' }, { write: (line) => { text = line; } });
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;

const tried = Object.entries(FORMATS).filter(
  ([, { command }]) => command === undefined || hasPython,
);

test.each(tried)(
  'a run reads the %s log of its command, renamed and truncated on the way: each line once',
  async (_, { line = "''", command, reading = '', nameOf = (n: number) => `m${n}`, isRead }) => {
    const objective = `name = "log"
[mutation_constraints]
mutation_precondition = "MATCH (name = '${nameOf(SEEN)}') AS seen"
[[measurement]]
name = "all"
check = "MATCH (probe = 'app') AS line AGGREGATE count() = ${LINES}"
[stopping_conditions]
attempts = 1
`;
    const bench = await openBench({
      'log.objective.toml': objective,
      'perturb.toml': reading,
      'writer.mjs': WRITER,
      'writer.py': PYTHON_WRITER,
      'app.log': '',
      'line.mjs': `${line.includes('log.info') ? PINO : ''}export const lineOf = (n) => ${line};\n`,
    });
    const { code, stderr } = await bench.run(
      ...['log.objective.toml', '-s', bench.url, '--events', 'app.log', '--out', 'out'],
      ...['--attempt-time', '100s', '--', ...(command ?? [process.execPath, 'writer.mjs'])],
    );
    const stored = readFileSync(join(bench.directory, 'out/attempts/1.jsonl'), 'utf8');
    const counts = new Map<string, number>();
    for (const text of stored.trim().split('\n')) {
      const { probe, name } = JSON.parse(text);
      if (probe === 'app') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const written = new Set(Array.from({ length: LINES }, (_, n) => nameOf(n)));
    const lost = [...written].filter((name) => !counts.has(name));
    const repeated = [...counts].filter(([, count]) => count > 1);
    const other = [...counts.keys()].filter((name) => !written.has(name));
    expect({ lost, repeated, other }).toEqual({ lost: [], repeated: [], other: [] });
    expect(stderr).toContain(`app.log is read as ${isRead}\n`);
    expect(stderr.match(/app\.log was truncated: earlier events are kept/g)).toHaveLength(1);
    expect(code).toBe(0);
  },
  300_000,
);
