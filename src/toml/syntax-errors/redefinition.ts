import { quote, type Violation } from '../../diagnostics/index.js';
import { type KeyPart, readKey } from '../positions/key.js';
import type { TomlNode } from '../positions/node.js';
import { characterAt, type Explain, innermost } from './site.js';

/** A key or a header for something that has been defined before. */
export const redefinition: Explain = (site) => {
  const { text, at, before } = site;
  const { parts } = readKey(text, at);
  const { node: first, part, whole } = lastDefined(before.scope, parts);
  if (part === undefined)
    return { message: 'this is already defined', span: characterAt(text, at) };
  const open = innermost(site);
  const header = open !== undefined && text[open] === '[';
  const written = text.slice(parts[0]?.span.start, parts.at(-1)?.span.end);
  const explained =
    header && whole
      ? duplicateHeader(text.startsWith('[[', open), written, part, first)
      : duplicateKey(whole, part);
  const related = [{ message: 'first defined here', span: first.key }];
  return { ...explained, span: part.span, related };
};

/** The deepest of a key's parts that is already defined, and as what. */
function lastDefined(scope: TomlNode, parts: readonly KeyPart[]) {
  let node = scope;
  let part: KeyPart | undefined;
  for (const next of parts) {
    const known: TomlNode | undefined = (node.items?.at(-1) ?? node).entries?.get(next.name);
    if (known === undefined) return { node, part, whole: false };
    node = known;
    part = next;
  }
  return { node, part, whole: true };
}

function duplicateKey(whole: boolean, part: KeyPart): Omit<Violation, 'span'> {
  const name = quote(part.name);
  if (whole) return { message: `duplicate key ${name}` };
  return { message: `${name} is already defined, and cannot be extended here` };
}

function duplicateHeader(
  double: boolean,
  written: string,
  part: KeyPart,
  first: TomlNode,
): Omit<Violation, 'span'> {
  const name = quote(part.name);
  if (first.items !== undefined) {
    const help = `write [[${written}]] to add a table to it`;
    return { message: `${name} is already an array`, ...(!double && { help }) };
  }
  if (first.entries === undefined) return { message: `${name} is already defined, as a value` };
  const byHeader = first.value !== first.key;
  const help = `merge the two, or write [[${written}]] at each for an array of tables`;
  return { message: `duplicate table ${name}`, ...(byHeader && { help }) };
}
