import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { pathOf } from '../harness/programs.js';

/** @import { Scenario } from '../harness/scenario.js' */
/** @import { Session } from '../../src/session/index.js' */

const AB = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b";
const ABC = "MATCH (name = 'A') AS a, (name = 'B') AS b, (name = 'C') AS c WHEN a -> b -> c";

/** What is asked, how many labels it selects, and how many times their selection it may cost. */
const QUESTIONS = [
  { what: 'existence of a pair', text: AB, labels: 2, most: 6 },
  {
    what: 'count and mean of pairs',
    text: `${AB} AGGREGATE count() > 5, mean(b.x) < 3`,
    labels: 2,
    most: 13,
  },
  { what: 'count of a chain of three', text: `${ABC} AGGREGATE count() > 5`, labels: 3, most: 20 },
  {
    what: 'count with a.id = b.id',
    text: `${AB} FILTER a.id = b.id AGGREGATE count() > 5`,
    labels: 2,
    most: 13,
  },
  {
    what: 'count with a.x < b.x',
    text: `${AB} FILTER a.x < b.x AGGREGATE count() > 5`,
    labels: 2,
    most: 28,
  },
  { what: 'count BY a', text: `${AB} AGGREGATE count() >= 1 BY a`, labels: 2, most: 20 },
  {
    what: 'percentile of one label',
    text: `${AB} AGGREGATE percentile(b.x, 95) < 3`,
    labels: 2,
    most: 15,
  },
  {
    what: 'percentile of b.id - a.id',
    text: `${AB} AGGREGATE percentile(b.id - a.id, 95) < 3`,
    labels: 2,
    most: 150,
  },
];

const TWO = "MATCH (name = 'A') AS a, (name = 'B') AS b";

/** What of the whole language has a method of its own: on a hundred probes. */
const OF_ORDER = [
  {
    what: 'absence tied to one label',
    text: "MATCH (name = 'A') AS a, NOT (name = 'B') AS b FILTER b.id = a.id AGGREGATE count() > 5",
    labels: 2,
    most: 15,
  },
  {
    what: 'count with NEXT',
    text: `${TWO} WHEN a -> NEXT b AGGREGATE count() > 5`,
    labels: 2,
    most: 40,
  },
  {
    what: 'count with NEXT on the same probe',
    text: `${TWO} WHEN a -> NEXT b FILTER a.probe = b.probe AGGREGATE count() > 5`,
    labels: 2,
    most: 30,
  },
  {
    what: 'max of b.id - a.id with NEXT',
    text: `${TWO} WHEN a -> NEXT b AGGREGATE max(b.id - a.id) > 5`,
    labels: 2,
    most: 60,
  },
  {
    what: 'count with abs(b.id - a.id) <= 100',
    text: `${TWO} FILTER abs(b.id - a.id) <= 100 AGGREGATE count() > 5`,
    labels: 2,
    most: 45,
  },
  {
    what: 'count with a.id < b.id AND a.x < b.x',
    text: `${TWO} FILTER a.id < b.id AND a.x < b.x AGGREGATE count() > 5`,
    labels: 2,
    most: 95,
  },
  {
    what: 'count of concurrent pairs',
    text: `${TWO} WHEN a || b AGGREGATE count() > 5`,
    labels: 2,
    most: 20,
  },
  {
    what: 'absence between two labels',
    text: `${TWO}, NOT (name = 'C') AS c WHEN a -> c -> b AGGREGATE count() > 5`,
    labels: 3,
    most: 50,
  },
];

/** @param {() => unknown} work @returns {{ time: number }} */
function timed(work) {
  const start = performance.now();
  work();
  return { time: performance.now() - start };
}

/**
 * @typedef {object} Stage
 * @property {typeof import('../sessions/evaluate.js')} library
 * @property {Map<number, Session>} sessions of a million events, by their number of probes
 * @property {() => Session} larger one of ten million events, made when it is first asked for
 */

/** @param {Stage} stage @param {Session} session @param {string} text */
function ask({ library }, session, text) {
  const { expression } = library.parse(text);
  if (expression === undefined) throw new Error(`no expression: ${text}`);
  return timed(() => library.evaluate(session, expression));
}

/** @type {Scenario<Stage>} */
export const measure = {
  name: 'measure',
  about: 'how long expressions take over a million events, with an interaction for every ten',
  async prepare({ directory }) {
    const outfile = join(directory, 'evaluate.mjs');
    await bundleFile(pathOf('../sessions/evaluate.ts'), outfile);
    /** @type {Stage['library']} */
    const library = await import(pathToFileURL(outfile).href);
    const shape = { matches: 10_000, every: 10 };
    const make = (/** @type {number} */ events, /** @type {number} */ probes) =>
      library.largeSession({ ...shape, events, probes });
    const sessions = new Map([10, 100].map((probes) => [probes, make(1e6, probes)]));
    /** @type {Session | undefined} */
    let ten;
    return {
      library,
      sessions,
      larger() {
        ten ??= make(1e7, 10);
        return ten;
      },
    };
  },
  comparisons: [
    ...[10, 100].flatMap((probes) =>
      [...QUESTIONS, ...(probes === 100 ? OF_ORDER : [])].map(({ what, text, labels, most }) => ({
        work: {
          what: `${what}, ${probes} probes`,
          run: (/** @type {Stage} */ stage) => ask(stage, sessionOf(stage, probes), text),
        },
        floor: {
          what: `select ${labels} labels among 1M events`,
          run: (/** @type {Stage} */ stage) =>
            timed(() => stage.library.selectLabels(sessionOf(stage, probes), labels)),
        },
        limits: [{ quantity: /** @type {const} */ ('time'), most }],
        pairs: 21,
      })),
    ),
    {
      work: {
        what: 'count and mean of pairs, 10M events',
        run: (stage) => ask(stage, stage.larger(), QUESTIONS[1]?.text ?? ''),
      },
      floor: {
        what: 'the same, 1M events',
        run: (stage) => ask(stage, sessionOf(stage, 10), QUESTIONS[1]?.text ?? ''),
      },
      limits: [{ quantity: 'time', most: 15 }],
      pairs: 5,
    },
  ],
};

/** @param {Stage} stage @param {number} probes */
function sessionOf({ sessions }, probes) {
  const session = sessions.get(probes);
  if (session === undefined) throw new Error(`no session of ${probes} probes`);
  return session;
}
