import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checksum } from '../../../src/durable/journal.js';
import { isLong } from '../../long.js';
import { OBJECTIVE, openBench } from './bench.js';

const ATTEMPTS = isLong ? 10_000 : 3_000;
/** Of what V8 keeps; the long form also looks at all of the process, and at its CPU. */
const HEAP_MB = isLong ? 256 : 40;
/** JSON is one text of all of it. */
const JSON_MB = isLong ? 256 : 80;

/** Tells what the process took, as it ends. */
const USAGE = `process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require('node:fs').writeFileSync('usage', JSON.stringify([maxRSS / 1024, (userCPUTime + systemCPUTime) / 1e6]));
});
`;

/** Runs Node to its end; the server in this process goes on answering. */
function finished(args: readonly string[], cwd: string) {
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 2 ** 30 }, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test(`a run of ${ATTEMPTS} attempts is shown, reported and resumed in little memory`, async () => {
  const { directory, url, run } = await openBench({
    'level.objective.toml': OBJECTIVE.replace('attempts = 12', 'attempts = 4'),
    'usage.cjs': USAGE,
  });
  await run('level.objective.toml', '-s', url, '--out', 'out', '--', 'sh', 'system.sh');
  const [header = '', ...lines] = readFileSync(join(directory, 'out/journal'), 'utf8').split('\n');
  const records = lines.slice(0, -2).map((line) => line.slice(9));
  const first = records.findIndex((json) => json.includes('"step":"attempt"'));
  const groups: string[][] = [];
  for (const json of records.slice(first, -1)) {
    if (json.includes('"step":"attempt"')) groups.push([]);
    groups.at(-1)?.push(json);
  }
  expect(groups).toHaveLength(4);
  const many = Array.from({ length: ATTEMPTS }, (_, at) =>
    (groups[at % 4] ?? []).map((json) => json.replace(/"n":\d+/, `"n":${at + 1}`)),
  ).flat();
  const all = [...records.slice(0, first), ...many, ...records.slice(-1)];
  const sealed = [...all, JSON.stringify({ records: all.length })];
  mkdirSync(join(directory, 'many/attempts'), { recursive: true });
  const text = sealed.map((json) => `${checksum(json)} ${json}\n`).join('');
  writeFileSync(join(directory, 'many/journal'), `${header}\n${text}`);
  expect(text.length / ATTEMPTS).toBeLessThan(1_000);
  // Of one that was interrupted the end is missing; this one finds that enough attempts were made.
  mkdirSync(join(directory, 'cut/attempts'), { recursive: true });
  const cut = [...all.slice(0, -1), JSON.stringify({ records: all.length - 1 })];
  const cutText = cut.map((json) => `${checksum(json)} ${json}\n`).join('');
  writeFileSync(join(directory, 'cut/journal'), `${header}\n${cutText}`);
  for (const [words, code, shown] of [
    ['runs show many', 0, `attempts   ${ATTEMPTS}: `],
    ['runs report many', 0, 'wrote '],
    ['objective run --resume many', 1, `attempts   ${ATTEMPTS}: `],
    ['objective run --resume many --format json', 1, `"attempt":${ATTEMPTS},`],
    ['objective run --resume cut', 1, `attempts   ${ATTEMPTS}: `],
  ] as const) {
    const node = [
      `--max-old-space-size=${words.includes('json') ? JSON_MB : HEAP_MB}`,
      '--require',
      './usage.cjs',
    ];
    const args = [...node, resolve('dist/bin.cjs'), ...words.split(' ')];
    const { status, stdout, stderr } = await finished(args, directory);
    expect([words, status, stderr]).toEqual([words, code, '']);
    expect(stdout.replaceAll(' ', '')).toContain(shown.replaceAll(' ', ''));
    const [megabytes = 0, seconds = 0] = JSON.parse(
      readFileSync(join(directory, 'usage'), 'utf8'),
    ) as readonly number[];
    if (isLong) expect([words, megabytes < 300, seconds < 5]).toEqual([words, true, true]);
  }
});
