import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @typedef {import('./examine.js').Examined} Examined
 * @typedef {Omit<Examined, 'status'> & { status: Examined['status'] | 'accepted', reason?: string }} Result
 */

const PAGE = 'docs/mutation-testing.md';

/** A table of the results of a room, a line for each file. @param {readonly Result[]} results */
export function table(results) {
  /** @type {Map<string, Result[]>} */
  const files = new Map();
  for (const result of results) {
    files.set(result.file, [...(files.get(result.file) ?? []), result]);
  }
  const lines = [...files].map(([file, ofFile]) =>
    row(`\`${file.replace(/^src\//, '')}\``, ofFile),
  );
  return [...HEAD, ...lines, row('all', results), ''].join('\n');
}

const HEAD = [
  '| file | mutants | killed | timed out | accepted | survived | unreached | killed of all |',
  '|---|--:|--:|--:|--:|--:|--:|--:|',
];

/** @param {string} name @param {readonly Result[]} results */
function row(name, results) {
  const count = (/** @type {Result['status']} */ status) =>
    results.filter((one) => one.status === status).length;
  const killed = count('killed') + count('timeout');
  const share = `${Math.floor((1000 * killed) / results.length) / 10} %`;
  const counts = [
    results.length,
    count('killed'),
    count('timeout'),
    count('accepted'),
    count('survived'),
    count('unreached'),
  ];
  return `| ${[name, ...counts, share].join(' | ')} |`;
}

/** A survivor that nobody has accepted, for people; nothing for any other. @param {Result} result */
export function survivorText({ file, line, status, operator, original, replacement, code }) {
  if (status !== 'survived' && status !== 'unreached') return '';
  return [
    `${file}:${line} ${operator}${status === 'unreached' ? ', unreached' : ''}`,
    ...[code, ...changed(original, replacement)].map((text) => `    ${text}`),
    '',
  ].join('\n');
}

/** The lines that differ. @param {string} original @param {string} replacement */
function changed(original, replacement) {
  const [before, after] = [original.split('\n'), replacement.split('\n')];
  while (before.length > 1 && before[0] === after[0]) {
    before.shift();
    after.shift();
  }
  while (before.length > 1 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return [...before.map((text) => `- ${text.trim()}`), ...after.map((text) => `+ ${text.trim()}`)];
}

/**
 * Writes the figures of a room into the page.
 *
 * @param {string} room
 * @param {readonly Result[]} results
 * @param {number} step every how many mutants one was tried
 */
export function record(room, results, step) {
  const page = readFileSync(PAGE, 'utf8');
  const begin = `<!-- figures: ${room} -->\n`;
  const at = page.indexOf(begin);
  const end = page.indexOf('<!-- end -->', at);
  if (at === -1 || end === -1) throw new Error(`${PAGE} has no place for the figures of ${room}`);
  const sampled = step === 1 ? '' : `Of every ${step} mutants, one was tried.\n\n`;
  const figures = `${begin}\n${sampled}${table(results)}\n`;
  writeFileSync(PAGE, page.slice(0, at) + figures + page.slice(end));
}
