import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { escapedWhere } from '../escaped.js';

const LISTS = ['testsuite', 'testcase', 'file', 'error'];

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  ignoreDeclaration: true,
  htmlEntities: true,
  trimValues: false,
  parseTagValue: false,
  isArray: (name, _, __, isAttribute) => !isAttribute && LISTS.includes(name),
});

/** Reads a document, and throws when it is not well-formed. */
export function readXml(document: string) {
  const valid = XMLValidator.validate(document);
  if (valid !== true) throw new Error(valid.err.msg);
  return parser.parse(document);
}

/** A text as XML 1.0 can hold it: what it forbids is written as escapes. */
export function inXml(text: string): string {
  return escapedWhere(text, (character) => {
    const point = character.codePointAt(0) as number;
    if (point < 0x20) return !'\t\n\r'.includes(character);
    return (0xd800 <= point && point <= 0xdfff) || point === 0xfffe || point === 0xffff;
  });
}
