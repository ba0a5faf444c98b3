import { readFileSync } from 'node:fs';

/** JSON.parse of each line of a file, which is ASCII and ends with a newline. @param {string} path */
export function parseLines(path) {
  const text = readFileSync(path, 'latin1');
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    JSON.parse(text.slice(start, end));
    start = end + 1;
  }
}
