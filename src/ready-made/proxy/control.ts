import { once } from 'node:events';
import { lstatSync, type Stats } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { codeOf } from '../../durable/index.js';
import { isRecord } from '../shared/state-file.js';
import { type Fault, type FaultName, type Faults, isHttpFault } from './faults.js';
import { openProbePort } from './probe-port.js';

/** Returns the path of a proxy's control socket. */
export const socketOf = (name: string): string => `${name}.sock`;

/**
 * Returns the stats of a proxy's control socket; undefined if it does not exist.
 * @throws Error for anything else in its place, which is neither used nor removed
 */
export function ownSocket(name: string): Stats | undefined {
  const stats = lstatSync(socketOf(name), { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const userId = process.geteuid?.() ?? stats.uid;
  if (stats.isSocket() && stats.uid === userId) return stats;
  const reason = stats.isSocket()
    ? `it belongs to user ${stats.uid}, not to ${userId}`
    : 'it is not a socket';
  throw new Error(`refusing ${socketOf(name)}: ${reason}. Nothing was touched. Move it away.`);
}

/** Sends a command to the proxy with a name. Returns the answer, or undefined if no such proxy runs. */
export async function sendCommand(name: string, command: object): Promise<string | undefined> {
  if (ownSocket(name) === undefined) return undefined;
  const socket = connect(socketOf(name));
  try {
    await once(socket, 'connect');
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
  socket.end(JSON.stringify(command));
  return text(socket);
}

/** Accepts commands at a socket. Each answer is empty, or the reason for a failure. */
export function commandServer(faults: Faults, supportedFaults: readonly FaultName[]): Server {
  return createServer({ allowHalfOpen: true }, async (socket) => {
    socket.on('error', () => {});
    socket.end(await answerTo(await readAll(socket).catch(() => ''), faults, supportedFaults));
  });
}

/** Reads everything that arrives at a socket, which stays open for the answer. */
async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'end');
  return text;
}

const NO_COMMAND = 'not a command';

/**
 * Runs a command. An incomplete command, whose sender was killed, changes nothing.
 *
 * @param supportedFaults the names of the faults that the proxy supports
 */
export function answerTo(
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
    if (faultName === undefined) return `the proxy does not make the fault ${fault}`;
    return openProbePort(faultName, faults).then(String);
  }
  const isInjection = action === 'inject' && isRecord(params) && Number(seconds) > 0;
  if (action !== 'reset' && !isInjection) return NO_COMMAND;
  const name = supportedFaults.find((candidate) => candidate === fault);
  if (name === undefined) {
    if (action === 'reset') return '';
    return isHttpFault(`${fault}`)
      ? 'the proxy was started without the word http'
      : `there is no fault ${fault}`;
  }
  if (isInjection) faults.inject(name, params as Fault, Number(seconds));
  else faults.reset(name);
  return '';
}
