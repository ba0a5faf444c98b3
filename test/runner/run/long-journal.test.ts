import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { checksum } from '../../../src/durable/journal.js';
import { isLong } from '../../long.js';
import { OBJECTIVE, openBench } from './bench.js';

const ATTEMPTS = isLong ? 10_000 : 3_000;
/** Of what V8 keeps; the long form also looks at all of the process, and at its CPU. */
const HEAP_MB = isLong ? 256 : 40;

/** Tells what the process took, as it ends. */
const USAGE = `process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  require('node:fs').writeSync(3, JSON.stringify([maxRSS / 1024, (userCPUTime + systemCPUTime) / 1e6]));
});
`;

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
  for (const words of ['runs show many', 'runs report many', 'objective run --resume many']) {
    const node = [`--max-old-space-size=${HEAP_MB}`, '--require', './usage.cjs'];
    const { status, stdout, stderr, output } = spawnSync(
      process.execPath,
      [...node, resolve('dist/bin.cjs'), ...words.split(' ')],
      { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
    );
    expect([words, status, stderr]).toEqual([words, words.startsWith('runs') ? 0 : 1, '']);
    expect(stdout).toContain(words.includes('report') ? 'wrote ' : `attempts   ${ATTEMPTS}: `);
    const [megabytes = 0, seconds = 0] = JSON.parse(output[3] ?? '') as readonly number[];
    if (isLong) expect([words, megabytes < 300, seconds < 5]).toEqual([words, true, true]);
  }
});
