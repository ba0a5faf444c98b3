import { readFileSync, writeFileSync } from 'node:fs';

/** @typedef {import('./run.js').Result} Result */

const PAGE = 'docs/mutation-testing.md';

/** A table of the results, a line for each file and each room. @param {readonly Result[]} results */
export function table(results) {
  const rooms = group(results, ({ file }) => file.split('/')[1] ?? '');
  const lines = [...rooms].flatMap(([room, ofRoom]) => [
    ...[...group(ofRoom, ({ file }) => file)].map(([file, ofFile]) =>
      row(`\`${file.replace(/^src\//, '')}\``, ofFile),
    ),
    row(`**${room}**`, ofRoom),
  ]);
  return [...HEAD, ...lines, ''].join('\n');
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

/** The survivors that nobody has accepted, as a list. @param {readonly Result[]} results */
export function survivorList(results) {
  return results
    .filter(({ status }) => status === 'survived' || status === 'unreached')
    .map(({ file, line, status, operator, original, replacement, code }) =>
      [
        `${file}:${line} ${operator}${status === 'unreached' ? ', unreached' : ''}`,
        `    ${code}`,
        ...changed(original, replacement).map((text) => `    ${text}`),
        '',
      ].join('\n'),
    )
    .join('');
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
 * Writes the figures of the rooms that were run into the page.
 *
 * @param {readonly Result[]} results
 * @param {number} step every how many mutants were tried
 */
export function record(results, step) {
  const page = readFileSync(PAGE, 'utf8');
  const rooms = group(results, ({ file }) => file.split('/')[1] ?? '');
  let written = page;
  for (const [room, ofRoom] of rooms) {
    const begin = `<!-- figures: ${room} -->\n`;
    const at = written.indexOf(begin);
    const end = written.indexOf('<!-- end -->', at);
    if (at === -1 || end === -1) throw new Error(`${PAGE} has no place for the figures of ${room}`);
    const sampled = step === 1 ? '' : `Every ${step}th mutant was tried.\n\n`;
    written = `${written.slice(0, at)}${begin}\n${sampled}${table(ofRoom)}\n${written.slice(end)}`;
  }
  writeFileSync(PAGE, written);
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf
 */
function group(items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
