/*
 * Disturbs an interface with netem, or cuts off an address or a port with nftables. Needs Linux and root.
 *
 *   node network.mjs inject-netem|verify-netem|reset-netem NAME fault=FAULT interface=INTERFACE namespace=NAMESPACE
 *   node network.mjs inject-partition|verify-partition|reset-partition NAME address=ADDRESS port=PORT namespace=NAMESPACE
 *
 * The default namespace is the server's. The qdisc and the table have random names, recorded first in
 * NAME.netem.state.json or NAME.state.json. No other qdisc or table is ever removed.
 */
import { runScript } from '../shared/script.js';
import { injectNetem, resetNetem, verifyNetem } from './netem.js';
import { sendPacket } from './packet.js';
import { injectPartition, resetPartition, verifyPartition } from './partition.js';

await runScript({
  'inject-netem': injectNetem,
  'reset-netem': resetNetem,
  'verify-netem': verifyNetem,
  'inject-partition': injectPartition,
  'reset-partition': resetPartition,
  'verify-partition': verifyPartition,
  send: sendPacket,
});
