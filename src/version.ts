import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * The package's metadata; a test keeps it equal to package.json. The package has no public address,
 * so links lead to the installed pages.
 */

export const version = '0.1.0';

/** Returns the URL of a rule's installed page; undefined if the pages are not installed. */
export function rulePageUrl(id: string): string | undefined {
  const path = join(import.meta.dirname, '../docs/rules', `${id}.md`);
  return existsSync(path) ? pathToFileURL(path).href : undefined;
}
