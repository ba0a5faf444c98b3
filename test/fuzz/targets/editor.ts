import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rules } from '../../../src/objective/index.js';
import { readCorpus } from '../corpus.js';
import { features } from '../editor/features.js';
import { startSession } from '../editor/session.js';
import type { Target } from '../target.js';
import { TRACE_TOKENS } from './expression.js';
import { TOML_TOKENS } from './toml-tokens.js';

/*
 * An input is a session in an editor, its parts with U+001E between them: the name of a file; its
 * text; and steps. A step is a word with numbers, which stand for offsets of any
 * text by the remainder, and with the text that it needs on the lines below. Behind `!` it does not
 * wait for an answer, so that the next step overtakes it.
 */

const SEPARATOR = '\u001e';
const MANIFEST = 'fixtures/objective/catalog/bench.mutators.toml';

const session = (...parts: readonly string[]): string => parts.join(SEPARATOR);

const EMOJI = `name = "😀"
[[measurement]]
name = "m"
check = """
MATCH (name = 'A😀' AND x = 1) AS gust, (HEARTBEAT @ AUTOPILOT) AS \`b t\` \\
  WHEN gust -> \`b t\`
FILTER gust.x < \`b\\u0020t\`.time - 100ms # after 😀
AGGREGATE max(gust.y) > 3
"""
[stopping_conditions]
attempts = 3
`;

const MANIFEST_TEXT = readFileSync(MANIFEST, 'utf8');

const CONFIG = `[lint]
mutators = ["bench.mutators.toml"]
[lint.rules]
"toml/syntax" = "warn"
"expression/sintax" = "off"
`;

const everything = (...numbers: readonly number[]): string[] =>
  Object.keys(features).map((word, index) => `${word} ${numbers[index % numbers.length]} 40\ngale`);

/** The language server: edits and requests of an editor in any order. */
export async function editorTarget(): Promise<Target> {
  const directory = mkdtempSync(join(tmpdir(), 'perturb-fuzz-'));
  copyFileSync(MANIFEST, join(directory, 'bench.mutators.toml'));
  writeFileSync(join(directory, 'perturb.toml'), CONFIG);
  const client = await startSession(directory);
  const objectives = readCorpus(['fixtures/objective/rules'], '.objective.toml').filter(
    (text) => text.length < 1_500,
  );
  const examples = rules.flatMap(({ examples }) => Object.values(examples));
  return {
    name: 'editor',
    seeds: [
      session('a.objective.toml', EMOJI, ...everything(120, 160, 220, 190)),
      session('a.objective.toml', EMOJI.replaceAll('\n', '\r\n'), ...everything(130, 90)),
      session('a.objective.toml', EMOJI, 'edit 70 0\nAND 😀', 'edit 90 4\n"', 'rename 101'),
      session('bench.mutators.toml', MANIFEST_TEXT, ...everything(30, 77, 400)),
      session('perturb.toml', CONFIG, ...everything(9, 20, 50, 60, 90)),
      session('a.objective.toml', EMOJI, '!hover 50', '!cancel', '!edit 3 9', 'format'),
      session('a.objective.toml', EMOJI, 'at 99999 1', 'at 4 99', 'close', 'hover 1', 'save'),
      ...[...objectives, ...examples].map((text, index) =>
        session('a.objective.toml', text, ...everything(index * 37, index * 91)),
      ),
    ],
    tokens: [
      ...Object.keys(features).flatMap((word) => [
        `${SEPARATOR}${word} 77 9\nb`,
        `${SEPARATOR}!${word} 191 1\n\`x y\``,
      ]),
      ...[`${SEPARATOR}!cancel`, `${SEPARATOR}edit 55 0\n'`, `${SEPARATOR}edit 88 1`, SEPARATOR],
      ...[`${SEPARATOR}!edit 99 0\n"""`, `${SEPARATOR}edit 7 0\n😀`, `${SEPARATOR}full\n${CONFIG}`],
      ...[`${SEPARATOR}at 5 7`, `${SEPARATOR}close`, `${SEPARATOR}save`, `${SEPARATOR}watch`],
      ...['\\\n  ', '\\\r\n', '\\u0041', '\\U0001F600', '"""', "'''", '\\"', '\\t', '😀', '\r\n'],
      ...[...TOML_TOKENS, ...TRACE_TOKENS],
    ],
    async run(input) {
      const [name = '', text = '', ...steps] = input.split(SEPARATOR);
      const isOurs = ['perturb.toml', 'bench.mutators.toml'].includes(name);
      const uri = pathToFileURL(join(directory, isOurs ? name : 'a.objective.toml')).href;
      return client.run(uri, text, steps);
    },
    async close() {
      await client.end();
      rmSync(directory, { recursive: true });
    },
  };
}
