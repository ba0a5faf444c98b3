import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { lstat, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { exitCodes, PerturbError } from '../basics/index.js';
import { codeOf } from './files.js';

/*
 * The holder of a directory listens on a socket in the directory. Another process tests the lock by
 * connecting to the socket. The system accepts connections for a live process, even if the process
 * hangs, and refuses them once the process has ended. Unlike a process id, a socket cannot be
 * mistaken for a later process, or for a process in another container.
 *
 * Each process first listens on its own socket, and then looks for other sockets. If two processes
 * start at the same time, at least the process that listens later sees the other process. Both may
 * give up, but they cannot both miss each other. Only a new holder removes the sockets of dead
 * processes. A removed socket may belong to a live process that is not listening yet. That process
 * will see the holder, or find that its own socket is gone.
 */

/** The error for a directory that another process holds, or that cannot be locked. */
export class LockError extends PerturbError<'in-use' | 'no-lock' | 'not-usable'> {
  constructor(
    code: 'in-use' | 'no-lock' | 'not-usable',
    /** The holder's process id, or the reason why the directory cannot be locked. */
    readonly detail: string,
  ) {
    super(code, `${code}: ${detail}`, exitCodes.unavailable);
  }
}

/**
 * Returns a pattern that matches the names of sockets for one purpose, and captures the holder's
 * process id.
 */
const socketPattern = (purpose: string) => new RegExp(`^${purpose}-(\\d+)-[\\da-f]+\\.sock$`);

/** Maximum length of a socket address in bytes, supported by every system. */
const MAX_ADDRESS_LENGTH = 103;

/** Number of attempts before concluding that another process holds the directory. */
const ATTEMPTS = 5;
const PAUSE_MS = 50;

/** A directory that this process has locked. */
export interface DirectoryLock {
  readonly unlock: () => Promise<void>;
  /** Resolves to true if other processes can still see the lock. */
  readonly isHeld: () => Promise<boolean>;
  /**
   * The error if the directory is not writable. In this case, other processes cannot see the lock.
   */
  readonly unusable?: LockError;
}

/**
 * Locks a directory for this process until `unlock` is called. Rejects with a LockError.
 *
 * @param purpose a word; locks for different purposes are independent
 */
export async function lockDirectory(directory: string, purpose: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const lock = await tryLock(directory, purpose);
    if ('unlock' in lock) return lock;
    if (attempt === ATTEMPTS) throw new LockError('in-use', lock.holder);
    // Two processes that started at the same time may both have given up. Or the holder was killed
    // while starting a command, whose process keeps the socket open until its program is loaded.
    await setTimeout(PAUSE_MS * (1 + Math.random()));
  }
}

async function tryLock(
  directory: string,
  purpose: string,
): Promise<DirectoryLock | { readonly holder: string }> {
  const names = socketPattern(purpose);
  const socketsIn = async () => (await readdir(directory)).filter((name) => names.test(name));
  /** Returns the id of a process that listens on one of the sockets. */
  const holderOf = async (sockets: readonly string[]): Promise<string | undefined> => {
    for (const name of sockets) {
      if (await isAlive(addressOf(directory, name))) return names.exec(name)?.[1] ?? '';
    }
    return undefined;
  };
  const ownName = `${purpose}-${process.pid}-${randomBytes(6).toString('hex')}.sock`;
  const server = await listen(directory, ownName);
  if (server instanceof LockError) {
    const holder = await holderOf(await socketsIn());
    if (holder !== undefined) return { holder };
    return { unlock: async () => {}, isHeld: async () => true, unusable: server };
  }
  const unlock = () => new Promise<void>((resolveUnlock) => server.close(() => resolveUnlock()));
  const otherSockets = (await socketsIn()).filter((name) => name !== ownName);
  const holder = await holderOf(otherSockets);
  if (holder !== undefined) {
    await unlock();
    return { holder };
  }
  for (const staleName of otherSockets) await rm(join(directory, staleName), { force: true });
  const socket = await lstat(join(directory, ownName)).catch(() => undefined);
  const isHeld = async () => {
    const current = await lstat(join(directory, ownName)).catch(() => undefined);
    return current !== undefined && current.ino === socket?.ino;
  };
  if (socket !== undefined) return { unlock, isHeld };
  await unlock();
  return { holder: 'unknown' };
}

/** System errors for a directory that is not writable. */
const UNWRITABLE = ['EROFS', 'ENOSPC', 'EDQUOT', 'EACCES', 'EPERM'];

/**
 * Listens on a new socket. Returns a LockError if the directory is not writable, and throws a
 * LockError for any other problem.
 */
async function listen(directory: string, name: string): Promise<Server | LockError> {
  const address = addressOf(directory, name);
  if (Buffer.byteLength(address) > MAX_ADDRESS_LENGTH) {
    throw new LockError('no-lock', 'its path is too long for a socket');
  }
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined && UNWRITABLE.includes(code)) return new LockError('not-usable', code);
    throw new LockError('no-lock', code ?? String(error));
  }
  return server;
}

/** True if a process is, or may be, listening at an address. */
async function isAlive(address: string): Promise<boolean> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT';
  } finally {
    socket.destroy();
  }
}

/** Returns the shorter of a socket's absolute and relative paths. */
function addressOf(directory: string, name: string): string {
  const absolute = resolve(directory, name);
  const relativePath = relative(process.cwd(), absolute);
  return relativePath.length < absolute.length ? relativePath : absolute;
}
