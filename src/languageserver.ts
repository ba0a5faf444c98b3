import { serveStdio } from './editor/index.js';
import { rulePageUrl, version } from './version.js';

/* The language server as a separate bundle, which starts faster without the rest of the program. */

export { serveStdio };

export function serve(): Promise<void> {
  return serveStdio({ version, pageOf: rulePageUrl, env: process.env });
}
