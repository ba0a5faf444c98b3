import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pump } from './growth.js';

/** What fuzzing found, as small as it could be made. As JSON it holds any text. */
export type Fixture = {
  /** What was wrong, for people. */
  readonly found: string;
} & ({ readonly input: string } | { readonly pump: Pump });

const ROOT = 'fixtures/fuzz';

/** Adds a fixture to those of a target; gives its path. */
export function writeFixture(target: string, fixture: Fixture): string {
  const text = `${JSON.stringify(fixture, undefined, 2)}\n`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const path = join(ROOT, target, `${hash}.json`);
  mkdirSync(join(ROOT, target), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** The fixtures of a target, by the names of their files. */
export function readFixtures(target: string): readonly (readonly [string, Fixture])[] {
  const directory = join(ROOT, target);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .map((name) => [name, JSON.parse(readFileSync(join(directory, name), 'utf8'))]);
}
