import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The golden file of that name. */
export function golden(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/sessions/golden/${name}`, import.meta.url));
}

/** The path of a recorded session among the examples. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../examples/sessions/${name}`, import.meta.url));
}

export function fixtureText(name: string): string {
  return readFileSync(fixture(name), 'utf8');
}

/** Data as text; integers of any size, and maps left out. */
export function json(data: unknown): string {
  const write = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return `${JSON.stringify(data, write, 2)}\n`;
}
