import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StoreError } from '../store.js';

/** What a password is for. */
interface Login {
  readonly host: string;
  readonly port: number;
  readonly database?: string | undefined;
  readonly user?: string | undefined;
}

const FIELD = String.raw`((?:\\.|[^\\:])+)`;

/** `host:port:database:user:password`; a backslash escapes the next character. */
const LINE = new RegExp(`^(?!#)${`${FIELD}:`.repeat(4)}(.+)$`);

/**
 * The password in the first line of libpq's password file that fits a login; `*` fits anything. The
 * client itself reads the file only if PGPASSWORD is not set, and no longer does so from its next version on.
 *
 * @throws StoreError (unauthorized) if others may read the file: libpq does not use it either
 */
export async function filedPassword(login: Login): Promise<string | undefined> {
  const path = pathOf(process.env);
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    throw new StoreError(
      'unauthorized',
      `the password file ${path} is not used because other users may read it: run chmod 600 on it`,
    );
  }
  const wanted = [login.host, String(login.port), login.database, login.user];
  const text = await readFile(path, 'utf8').catch(() => '');
  for (const line of text.split(/\r?\n/)) {
    const fields = LINE.exec(line)?.slice(1);
    const plain = fields?.map((field) => field.replace(/\\(.)/g, '$1'));
    if (plain && wanted.every((word, at) => plain[at] === '*' || plain[at] === word))
      return plain[4];
  }
  return undefined;
}

function pathOf({ PGPASSFILE, APPDATA = '.' }: NodeJS.ProcessEnv): string {
  if (PGPASSFILE) return PGPASSFILE;
  return process.platform === 'win32'
    ? join(APPDATA, 'postgresql', 'pgpass.conf')
    : join(homedir(), '.pgpass');
}
