import { BlockList, isIP } from 'node:net';

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** True if two texts are notations of the same address. */
export function isSameAddress(a: string, b: string): boolean {
  if (isIP(a) !== isIP(b)) return false;
  const list = new BlockList();
  list.addAddress(a, familyOf(a));
  return list.check(b, familyOf(b));
}

/** True for the unspecified address, 0.0.0.0 or `::`. */
export const isUnspecified = (address: string): boolean =>
  isSameAddress(address, isIP(address) === 4 ? '0.0.0.0' : '::');

export const isLoopback = (address: string): boolean =>
  address.startsWith('127.') || isSameAddress(address, isIP(address) === 4 ? '127.0.0.1' : '::1');

/** Parses an address from /proc/net/tcp or tcp6. It consists of 32-bit words, each with its bytes in reverse order. */
export function parseProcAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse());
  const v4 = (lastBytes: readonly string[]) =>
    lastBytes.map((byte) => Number.parseInt(byte, 16)).join('.');
  if (bytes.length === 4) return v4(bytes);
  const text = bytes.join('');
  if (/^0{20}ffff/i.test(text)) return v4(bytes.slice(12));
  return (text.match(/.{4}/g) ?? []).join(':');
}
