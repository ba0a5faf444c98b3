import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { directoryWith } from '../cli/program.js';
import { type Client, type ClientSetup, type Range, startClient } from './client.js';

export const HEAD = 'name = "x"\n\n[[measurement]]\nname = "m"\n';
export const TAIL = '\n[stopping_conditions]\nattempts = 3\n';

interface Opened {
  readonly client: Client;
  readonly uri: string;
  readonly directory: string;
}

/** Opens a text in a directory of its own, as an objective unless it has another name. */
export async function openIn(
  text: string,
  files: Readonly<Record<string, string>> = {},
  {
    name = 'a.objective.toml',
    ...options
  }: Parameters<typeof startClient>[1] & { name?: string } = {},
): Promise<Opened> {
  const directory = directoryWith(files);
  const client = await startClient(directory, options);
  const uri = pathToFileURL(join(directory, name)).href;
  client.open(uri, text);
  return { client, uri, directory };
}

/**
 * Opens texts, each in a directory of its own below that of the files, in one server for all tests
 * of a file, which ends with them.
 */
export function oneServer(
  files: Readonly<Record<string, string>> = {},
  options: ClientSetup = {},
): (text: string, name?: string) => Promise<Omit<Opened, 'directory'>> {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-test-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  let started: Promise<Client> | undefined;
  let count = 0;
  afterAll(async () => {
    (await started)?.kill();
    rmSync(directory, { recursive: true });
  });
  return async (text, name = 'a.objective.toml') => {
    const env = { XDG_CACHE_HOME: join(directory, 'cache') };
    started ??= startClient(directory, { env, ...options, outlives: true });
    const client = await started;
    const uri = pathToFileURL(join(directory, `${count++}`, name)).href;
    client.open(uri, text);
    return { client, uri };
  };
}

/** What stands in a range of a text, in UTF-16. */
export function textIn(text: string, { start, end }: Range): string {
  const lines = text.split('\n');
  const offset = ({ line, character }: Range['start']): number =>
    lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + character;
  return text.slice(offset(start), offset(end));
}

/** The answer to a request about a document. */
export async function ask<T>(
  client: Client,
  method: string,
  uri: string,
  more: object,
): Promise<T> {
  return client.request<T>(`textDocument/${method}`, { textDocument: { uri }, ...more });
}
