import { limitText } from './table.js';

/** @import { Figure } from './figure.js' */

/** The marks around the figures of a document. */
const PLACE = /(<!-- figures -->\n).*(<!-- end of figures -->)/s;

/**
 * A document with these figures in place of those that it had.
 *
 * @param {string} document Markdown with a place for them
 * @param {readonly Figure[]} figures
 */
export function writeFigures(document, figures) {
  if (!PLACE.test(document)) throw new Error('the document has no place for the figures');
  const rows = figures.map(({ scenario, work, floor, limit, ratio, met }) => {
    const measured = `${ratio.toFixed(2)}${met ? '' : ' (missed)'}`;
    return [scenario, work, floor, limit.quantity, limitText(limit), measured].join(' | ');
  });
  const text = [
    '| scenario | work | floor | of | limit | measured |\n',
    '|---|---|---|---|---|--:|\n',
    ...rows.map((row) => `| ${row} |\n`),
  ].join('');
  return document.replace(PLACE, (_, begin, end) => `${begin}\n${text}\n${end}`);
}
