import { once } from 'node:events';
import { lstatSync, type Stats } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from '../../durable/index.js';
import { isRecord } from '../shared/state-file.js';
import { type Fault, type FaultName, type Faults, isHttpFault } from './faults.js';
import { openProbePort } from './probe-port.js';

/** Returns the path of a proxy's control socket. */
export const socketPathOf = (name: string): string => `${name}.sock`;

/**
 * Returns the file status of a proxy's control socket; undefined if it does not exist.
 *
 * @throws Error for any other file at the path, which is neither used nor removed
 */
export function findOwnSocket(name: string): Stats | undefined {
  const stats = lstatSync(socketPathOf(name), { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const userId = process.geteuid?.() ?? stats.uid;
  if (stats.isSocket() && stats.uid === userId) return stats;
  const reason = stats.isSocket()
    ? `it belongs to user ${stats.uid}, not to ${userId}`
    : 'it is not a socket';
  throw new Error(`refusing to use ${socketPathOf(name)}: ${reason}. Move or remove this file.`);
}

/** Sends a command to a proxy by name. Returns the proxy's response, or undefined if the proxy is not running. */
export async function sendCommand(name: string, command: object): Promise<string | undefined> {
  if (findOwnSocket(name) === undefined) return undefined;
  const socket = connect(socketPathOf(name));
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
  socket.end(JSON.stringify(command));
  return text(socket);
}

/** Creates a server that accepts commands on a socket. A response is empty, or contains the reason for a failure. */
export function createCommandServer(faults: Faults, supportedFaults: readonly FaultName[]): Server {
  return createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {});
    socket.end(await handleCommand(await readAll(socket).catch(() => ''), faults, supportedFaults));
  });
}

/** Reads a socket until its end. The socket stays open for a response. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'end');
  return text;
}

const NO_COMMAND = 'unknown command';

/**
 * Runs a command. Ignores an incomplete command from a killed sender.
 *
 * @param supportedFaults the names of the faults that the proxy supports
 */
export function handleCommand(
  text: string,
  faults: Faults,
  supportedFaults: readonly FaultName[],
): string | Promise<string> {
  let command: unknown;
  try {
    command = JSON.parse(text);
  } catch {
    return NO_COMMAND;
  }
  if (!isRecord(command)) return NO_COMMAND;
  const { action, fault, params, seconds } = command;
  if (action === 'look') return faults.names().join('\n');
  if (action === 'probe') {
    const faultName = faults.names().find((name) => name === fault);
    if (faultName === undefined) return `the fault ${fault} is not active in the proxy`;
    return openProbePort(faultName, faults).then(String);
  }
  const isInjection = action === 'inject' && isRecord(params) && Number(seconds) > 0;
  if (action !== 'reset' && !isInjection) return NO_COMMAND;
  const name = supportedFaults.find((candidate) => candidate === fault);
  if (name === undefined) {
    if (action === 'reset') return '';
    return isHttpFault(`${fault}`)
      ? 'the proxy was started without the argument http'
      : `unknown fault ${fault}`;
  }
  if (isInjection) faults.inject(name, params as Fault, Number(seconds));
  else faults.reset(name);
  return '';
}
