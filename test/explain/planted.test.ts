import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { perturb } from '../cli/program.js';
import { KINDS, plantRun } from './planted.js';

const cwd = mkdtempSync(join(tmpdir(), 'perturb-planted-'));
afterAll(() => rmSync(cwd, { recursive: true }));

const SYSTEMS = 20;

/** The first statements of an explanation: their titles. */
function firstOf(stdout: string): readonly string[] {
  return stdout.split('\n').flatMap((line) => /^ +[123]\. (.*)/.exec(line)?.[1] ?? []);
}

test('planted causes are among the first three statements in at least 18 of 20 systems', {
  timeout: 300_000,
}, async () => {
  const missed: unknown[] = [];
  for (let seed = 0; seed < SYSTEMS; seed += 1) {
    const kind = KINDS[seed % KINDS.length] as (typeof KINDS)[number];
    const planted = plantRun(join(cwd, `${seed}`), seed, kind);
    expect(planted.failing).toBeGreaterThanOrEqual(5);
    const { code, stdout } = await perturb(['runs', 'explain', `${seed}`], { cwd });
    expect(code).toBe(0);
    const first = firstOf(stdout);
    const isNamed = first.some((title) => planted.names.every((name) => title.includes(name)));
    if (!isNamed) missed.push({ seed, ...planted, first });
  }
  expect(SYSTEMS - missed.length, JSON.stringify(missed)).toBeGreaterThanOrEqual(18);
});
