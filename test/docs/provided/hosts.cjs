/* Loaded into each program of Node: the hosts that end in .example are the loopback. */
const dns = require('node:dns');

const { lookup } = dns;
/** @type {(host: string, ...rest: unknown[]) => void} */
const patched = (host, ...rest) =>
  Reflect.apply(lookup, dns, [host.endsWith('.example') ? '127.0.0.1' : host, ...rest]);
Object.assign(dns, { lookup: patched });
