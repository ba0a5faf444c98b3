import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * The package's description of itself; a test keeps it equal to package.json. It has no public address:
 * links to its pages lead to those that are installed with it.
 */

export const version = '0.1.0';

/** The URL of a rule's page, installed with the program; undefined if the pages are not installed. */
export function rulePageUrl(id: string): string | undefined {
  const path = join(import.meta.dirname, '../docs/rules', `${id}.md`);
  return existsSync(path) ? pathToFileURL(path).href : undefined;
}
