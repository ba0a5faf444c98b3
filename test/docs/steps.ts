import { parse } from 'yaml';
import type { Block } from './documents.js';

/** The commands that a set-up for CI has in its steps: of GitHub, GitLab or Jenkins. */
export function stepsOf({ language, body }: Block): string[] {
  if (language === 'groovy')
    return [...body.matchAll(/\bsh '([^']+)'/g)].map(([, step]) => String(step));
  return language === 'yaml' ? stepsIn(parse(body)) : [];
}

function stepsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'run' && typeof inner === 'string') return [inner];
    return key === 'script' && Array.isArray(inner) ? inner.map(String) : stepsIn(inner);
  });
}
