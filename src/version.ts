import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * What the package says of itself; a test holds it equal to package.json's. It has no public address:
 * what leads to its pages leads to those that are installed with it.
 */

export const version = '0.1.0';

/** The address of a rule's page, beside the program; undefined where its pages are not installed. */
export function rulePageUrl(id: string): string | undefined {
  const path = join(import.meta.dirname, '../docs/rules', `${id}.md`);
  return existsSync(path) ? pathToFileURL(path).href : undefined;
}
