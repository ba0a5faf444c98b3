import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startEditor } from '../harness/language-client.js';
import { longObjective } from '../harness/objectives.js';
import { pathOf, perturb } from '../harness/programs.js';
import { runProgram } from '../harness/run-program.js';

/** @import { Editor } from '../harness/language-client.js' */
/** @import { Run, Scenario } from '../harness/scenario.js' */

const SHORT = 300;
const LONG = 3_000;
const KEYSTROKES = 40;
const SERVER = perturb('lsp', '--stdio');

/**
 * @typedef {object} Stage
 * @property {Editor} editor
 * @property {string} directory
 * @property {{ lint: Function, decodeSource: Function }} library
 */

/** The number that is typed at, and the text up to it. @param {string} text */
function placeIn(text) {
  const middle = text.indexOf('severity >= ', text.length / 2) + 'severity >= '.length;
  const lines = text.slice(0, middle).split('\n');
  const character = /** @type {string} */ (lines.at(-1)).length;
  return { offset: middle, position: { line: lines.length - 1, character } };
}

/**
 * Types a digit and deletes it, so many times.
 *
 * @param {Editor} editor
 * @param {string} uri
 * @param {string} text
 * @param {number} keystrokes
 */
async function typeIn(editor, uri, text, keystrokes) {
  const { position } = placeIn(text);
  const behind = { ...position, character: position.character + 1 };
  for (let done = 0; done < keystrokes; done += 2) {
    await editor.type(uri, { start: position, end: position }, '1');
    await editor.type(uri, { start: position, end: behind }, '');
  }
}

/** @param {Stage} stage @param {number} lines @returns {Promise<Run>} */
async function type({ editor, directory }, lines) {
  const uri = uriOf(directory, lines);
  const start = performance.now();
  await typeIn(editor, uri, longObjective(lines), KEYSTROKES);
  return { time: (performance.now() - start) / KEYSTROKES };
}

/** Lints what `type` types. @param {Stage} stage @param {number} lines @returns {Run} */
function lintTexts({ library }, lines) {
  const text = longObjective(lines);
  const { offset } = placeIn(text);
  const texts = [`${text.slice(0, offset)}1${text.slice(offset)}`, text].map(Buffer.from);
  const start = performance.now();
  for (let done = 0; done < KEYSTROKES; done += 1) {
    library.lint(library.decodeSource('a', /** @type {Buffer} */ (texts[done % 2])));
  }
  return { time: (performance.now() - start) / KEYSTROKES };
}

/** @param {string} directory @param {number} lines */
function uriOf(directory, lines) {
  return pathToFileURL(join(directory, `${lines}.objective.toml`)).href;
}

/** The memory that a server needs after some edits, and after 1,000 more. @param {string} directory */
async function memories(directory) {
  const editor = startEditor(
    ['--expose-gc', '--require', pathOf('../harness/heap.cjs'), ...SERVER],
    ['pipe', 'pipe'],
  );
  const [, , , ask, tell] = /** @type {import('node:stream').Duplex[]} */ (
    /** @type {unknown} */ (editor.child.stdio)
  );
  const heap = async () => {
    const told = once(/** @type {import('node:stream').Duplex} */ (tell), 'data');
    ask?.write('.');
    return Number(await told);
  };
  await editor.initialized();
  const uri = uriOf(directory, SHORT);
  const text = longObjective(SHORT);
  await editor.open(uri, text);
  await typeIn(editor, uri, text, 200);
  const before = await heap();
  await typeIn(editor, uri, text, 4_000);
  const after = await heap();
  editor.child.kill();
  return { before, after };
}

/** @type {Scenario<Stage>} */
export const editor = {
  name: 'editor',
  about: 'how soon the language server starts and answers to a keystroke',
  async prepare({ directory, defer }) {
    const editor = startEditor(SERVER);
    defer(() => editor.child.kill());
    await editor.initialized();
    for (const lines of [SHORT, LONG]) {
      await editor.open(uriOf(directory, lines), longObjective(lines));
    }
    return { editor, directory, library: await import('../../dist/index.js') };
  },
  comparisons: [
    {
      work: {
        what: 'start, to the answer to initialize',
        async run() {
          const start = performance.now();
          const editor = startEditor(SERVER);
          await editor.initialized();
          const time = performance.now() - start;
          editor.child.kill();
          await once(editor.child, 'close');
          return { time };
        },
      },
      floor: { what: 'node -e 0', run: () => runProgram(['-e', '0']) },
      limits: [{ quantity: 'time', most: 2 }],
      pairs: 20,
    },
    {
      work: { what: 'a keystroke in 300 lines', run: (stage) => type(stage, SHORT) },
      floor: { what: 'a lint of the text in process', run: (stage) => lintTexts(stage, SHORT) },
      limits: [{ quantity: 'time', most: 3 }],
      pairs: 15,
    },
    {
      work: { what: 'a keystroke in 3,000 lines', run: (stage) => type(stage, LONG) },
      floor: { what: 'in 300 lines', run: (stage) => type(stage, SHORT) },
      limits: [{ quantity: 'time', most: 12 }],
      pairs: 10,
    },
    {
      work: {
        what: 'the heap after 4,000 keystrokes more',
        run: async ({ directory }) => ({ memory: (await memories(directory)).after }),
      },
      floor: {
        what: 'the heap after 200 keystrokes',
        run: async ({ directory }) => ({ memory: (await memories(directory)).before }),
      },
      limits: [{ quantity: 'memory', most: 1.05 }],
      pairs: 3,
    },
  ],
};
