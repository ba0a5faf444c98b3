/*
 * A proxy that can be made to fail, and the commands that control it.
 *
 *   node proxy.mjs run NAME LISTEN UPSTREAM [http]       runs the proxy; addresses are HOST:PORT;
 *                                                        http makes the proxy read HTTP/1
 *   node proxy.mjs inject NAME FAULT SECONDS < MUTATION  injects a fault for at most SECONDS
 *   node proxy.mjs verify NAME FAULT < MUTATION          checks that a connection to the proxy shows the fault
 *   node proxy.mjs reset NAME FAULT                      ends the fault
 *   node proxy.mjs look NAME                             prints the active faults
 *
 * Faults exist only in the proxy's memory, and end with the proxy. The proxy accepts commands on the socket NAME.sock in
 * the working directory. Only the proxy's user can open the socket.
 */
import { text } from 'node:stream/consumers';
import { sendCommand } from './control.js';
import { verifyEffect } from './effect.js';
import type { FaultName } from './faults.js';
import { run } from './run.js';

async function command(action: string, [name = '', fault, seconds]: readonly string[]) {
  const params = action === 'inject' ? JSON.parse(await text(process.stdin)).params : undefined;
  const answer = await sendCommand(name, { action, fault, params, seconds: Number(seconds) });
  // A proxy that has exited has no faults.
  if (answer === undefined && action === 'inject') {
    throw new Error(`no proxy named ${name} is running`);
  }
  if (answer) throw new Error(answer);
}

async function verify([name = '', fault]: readonly string[]) {
  const { params } = JSON.parse(await text(process.stdin));
  const answer = await sendCommand(name, { action: 'probe', fault });
  if (answer === undefined) throw new Error(`no proxy named ${name} is running`);
  if (!/^\d+$/.test(answer)) throw new Error(answer);
  await verifyEffect(Number(answer), fault as FaultName, params);
}

async function printFaults([name = '']: readonly string[]) {
  process.stdout.write(`${(await sendCommand(name, { action: 'look' })) ?? 'it is not running'}\n`);
}

const [, , action, ...args] = process.argv;
try {
  if (action === 'run') await run(args);
  else if (action === 'inject' || action === 'reset') await command(action, args);
  else if (action === 'verify') await verify(args);
  else if (action === 'look') await printFaults(args);
  else throw new Error('usage: proxy.mjs run|inject|verify|reset|look NAME ...');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
