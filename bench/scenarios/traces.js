import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from '../../scripts/bundle.js';
import { parseLines } from '../floors/parse-lines.js';
import { pathOf, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';
import { timed } from '../harness/timed.js';
import { writeTraces } from '../sessions/write-traces.js';

/** @import { Scenario } from '../harness/scenario.js' */

const TRACES = 5_000;
/** Each trace has ten spans, which are two events each. */
const EVENTS = TRACES * 20;
/** Traces of a million events, and of as many more. */
const FEWER = 50_000;
const MORE = 100_000;
/** The ids of a trace and its spans. */
const TEXTS = 11;
const MEGABYTE = 2 ** 20;

const COUNT = "MATCH (name = 'A') AS a, (name = 'B') AS b WHEN a -> b AGGREGATE count() > 5";

/**
 * @typedef {object} Stage
 * @property {string} path traces as OTLP JSON Lines
 * @property {string} fewer traces of a million events
 * @property {string} more traces of two million events
 * @property {string} measureMany a program that measures a million events of 40,000 traces
 * @property {typeof import('../sessions/load.js')} load
 * @property {typeof import('../sessions/evaluate.js')} evaluate
 */

/** @param {Stage} stage */
async function importTraces({ load, path }) {
  const { session } = await load.readSessionFile(path);
  if (session?.size !== EVENTS) throw new Error(`${session?.size} events`);
}

/** @param {string} path */
function peakOf(path) {
  const inspect = perturb('session', 'inspect', path);
  return /** @type {number} */ (runProgram(inspect, { memory: true }).memory);
}

/** @param {Stage} stage @param {string} kind @param {string} [aggregates] */
function measure({ evaluate }, kind, aggregates = '') {
  const session = evaluate.sessionOf(kind);
  const { expression } = evaluate.parse(`${COUNT}${aggregates}`);
  if (expression === undefined) throw new Error('no expression');
  return timed(() => evaluate.evaluate(session, expression));
}

/** @type {Scenario<Stage>} */
export const traces = {
  name: 'traces',
  about: 'how long an import of spans takes, and expressions over many timelines',
  async prepare({ directory }) {
    const bundle = async (/** @type {string} */ name) => {
      const outfile = join(directory, `${name}.mjs`);
      await bundleFile(pathOf(`../sessions/${name}.ts`), outfile);
      return outfile;
    };
    const [load, evaluate] = [await bundle('load'), await bundle('evaluate')];
    const path = join(directory, 'traces.jsonl');
    const [fewer, more] = [join(directory, 'fewer.jsonl'), join(directory, 'more.jsonl')];
    const measureMany = join(directory, 'measure-many.mjs');
    writeTraces(path, TRACES);
    writeTraces(fewer, FEWER);
    writeTraces(more, MORE);
    const [url, text] = [pathToFileURL(evaluate).href, `${COUNT}, mean(b.x) < 3`];
    writeFileSync(
      measureMany,
      `import { evaluate, parse, sessionOf } from ${JSON.stringify(url)};\nevaluate(sessionOf('traces'), parse(${JSON.stringify(text)}).expression);\n`,
    );
    return {
      ...{ path, fewer, more, measureMany },
      load: await import(pathToFileURL(load).href),
      evaluate: await import(url),
    };
  },
  comparisons: [
    {
      work: {
        what: 'import 50,000 spans from OTLP JSON Lines',
        run: (stage) => timed(() => importTraces(stage)),
      },
      floor: { what: 'JSON.parse of each line', run: ({ path }) => timed(() => parseLines(path)) },
      limits: [{ quantity: 'time', most: 5 }],
      pairs: 5,
    },
    {
      work: {
        what: 'inspect 1,000,000 spans, above 500,000',
        run: ({ fewer, more }) => ({ memory: peakOf(more) - peakOf(fewer) }),
      },
      floor: {
        what: '200 bytes for each event, 80 for each id',
        run: () => ({ memory: ((MORE - FEWER) * (20 * 200 + TEXTS * 80)) / MEGABYTE }),
      },
      limits: [{ quantity: 'memory', most: 1.25 }],
      pairs: 3,
    },
    {
      work: {
        what: 'count and mean of pairs, 1M events of 40,000 traces',
        run: (stage) => measure(stage, 'traces', ', mean(b.x) < 3'),
      },
      floor: {
        what: 'the same on 100 probes, with as many matches',
        run: (stage) => measure(stage, 'probes', ', mean(b.x) < 3'),
      },
      limits: [{ quantity: 'time', most: 2 }],
      pairs: 3,
    },
    {
      work: {
        what: 'make and measure 1M events of 40,000 traces',
        run: ({ measureMany }) => runProgram([measureMany], { memory: true }),
      },
      floor: { what: '1 GB', run: () => ({ memory: 1024 }) },
      limits: [{ quantity: 'memory', most: 1 }],
      pairs: 1,
    },
    {
      work: {
        what: 'count of pairs, 100,000 timelines of one event',
        run: (stage) => measure(stage, 'short'),
      },
      floor: { what: '5 seconds', run: () => ({ time: 5_000 }) },
      limits: [{ quantity: 'time', most: 1 }],
      pairs: 3,
    },
    {
      work: {
        what: 'the same, in one chain',
        run: (stage) => measure(stage, 'chain'),
      },
      floor: { what: '60 seconds', run: () => ({ time: 60_000 }) },
      limits: [{ quantity: 'time', most: 1 }],
      pairs: 1,
    },
  ],
};
