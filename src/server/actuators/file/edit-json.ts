import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { Span } from '../../../source/index.js';

/**
 * Where in a JSON text the value stands to which keys lead from the root;
 * undefined when there is none. In an array a key is an index. The text must be
 * valid, and each key of an object unique.
 */
export function findJsonValue(text: string, keys: readonly string[]): Span | undefined {
  let node: Node | undefined = parseTree(text);
  for (const key of keys) {
    if (node === undefined) return undefined;
    const step = node.type === 'array' ? indexOf(key) : key;
    node = step === undefined ? undefined : findNodeAtLocation(node, [step]);
  }
  return node && { start: node.offset, end: node.offset + node.length };
}

function indexOf(key: string): number | undefined {
  return /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : undefined;
}
