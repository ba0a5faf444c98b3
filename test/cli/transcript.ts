import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { perturb } from './program.js';

/** What a command line said, with what differs from run to run made equal. */
export async function transcript(cwd: string, lines: readonly string[]): Promise<string> {
  const said: string[] = [];
  for (const line of lines) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
    const { code, stdout, stderr } = await perturb(words, { cwd });
    const text = `$ perturb ${line}\n${stdout}${stderr}`;
    said.push(code === 0 ? text : `${text}(exit ${code})\n`);
  }
  return normalised(said.join('\n'));
}

function normalised(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, 'TIME')
    .replace(/\b\d+\.\d+\.\d+\+[0-9a-f]{8}\b/g, 'RULES');
}

/** Replaces a text in a file. */
export function edit(cwd: string, name: string, from: string, to: string): void {
  const path = join(cwd, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
