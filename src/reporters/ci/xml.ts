import { ACTING, escapeCharacter } from '../visible.js';

/** An XML element that holds either a text or other elements. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly content: string | readonly Element[];
}

/** What XML 1.0 forbids even as a character reference (section 2.2, `Char`). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * An element as an XML 1.0 document. A reader gets back every text as it is,
 * but for characters that XML has no way to write: they stand as `\u{1b}`.
 */
export function toXml(root: Element): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${render(root, '')}`;
}

/** An element; without content, an empty one. */
export function element(
  name: string,
  attributes: Element['attributes'],
  content: Element['content'] = [],
): Element {
  return { name, attributes, content };
}

function render({ name, attributes, content }: Element, indent: string): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(`${value}`)}"`,
  );
  const open = `${indent}<${name}${list.join('')}`;
  if (content.length === 0) return `${open}/>\n`;
  if (typeof content === 'string') return `${open}>${escapeText(content)}</${name}>\n`;
  const children = content.map((child) => render(child, `${indent}  `));
  return `${open}>\n${children.join('')}${indent}</${name}>\n`;
}

/** Line ends may stand in a text as they are; in an attribute, a reader would make spaces of them. */
function escapeText(text: string): string {
  return text.split('\n').map(escapeXml).join('\n');
}

function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, escapeCharacter)
    .replace(MARKUP, (character) => ENTITIES[character] as string)
    .replace(ACTING, (character) => `&#${character.codePointAt(0)};`);
}
