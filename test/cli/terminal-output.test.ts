import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/cli/main.js';
import type { Output } from '../../src/cli/runtime/command.js';
import { withEscapedOutput } from '../../src/cli/runtime/io.js';
import { roll } from '../dice.js';
import { CLEAN, directoryWith, perturb } from './program.js';

/* Whatever a file, its name or a server brings to a terminal is shown there, and does not act. */

/** Clears the screen, sets a title, turns the line around, and ends it. */
const NAME = '\u001b[2J\u001b]0;title\u0007\u001b[31m\u009b1m\u202e\u2028\r';
const SHOWN = '\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{1b}[31m\\u{9b}1m\\u{202e}\\u{2028}\\r';

const ACTING = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const UNTIDY = CLEAN.replace('AGGREGATE', ' AGGREGATE');

function hostile(): string {
  return directoryWith({
    [`${NAME}.toml`]: UNTIDY,
    [`${NAME}.objective.toml`]: 'not TOML',
    [`${NAME}.json`]: '{}',
    'a.toml': CLEAN,
  });
}

test.each([
  ['no file', ['objective', 'lint', `${NAME}/none`], `no file matches ${SHOWN}/none`],
  ['no match', ['objective', 'lint', `${NAME}*.x`], `no file matches ${SHOWN}*.x`],
  [
    'no baseline',
    ['objective', 'lint', 'a.toml', '--baseline', `${NAME}.json`],
    `${SHOWN}.json is not a baseline`,
  ],
  [
    'no TOML',
    ['objective', 'fmt', `${NAME}.objective.toml`],
    `${SHOWN}.objective.toml is not valid TOML: `,
  ],
  ['no perturb.toml', ['objective', 'lint', '--config', NAME], `cannot read ${SHOWN}: `],
  [
    'no key',
    ['mutators', 'list', '-s', 'http://127.0.0.1:1', '--api-key-file', NAME],
    `cannot read ${SHOWN}: `,
  ],
  ['no manifest', ['serve', 'mutators', NAME], `cannot read ${SHOWN}: `],
  [
    'no listing',
    ['objective', 'lint', 'a.toml', '--mutators', NAME],
    'cannot read mutators from "',
  ],
  ['no command', [NAME], `perturb: unknown command '${SHOWN}'`],
  ['no rule', ['rules', 'explain', NAME], ''],
  ['no objective', ['objective', 'show', NAME], ''],
  ['no session', ['session', 'inspect', NAME], ''],
])('%s: the name is shown', async (_, words, message) => {
  const { stdout, stderr } = await perturb(words, { cwd: hostile() });
  expect(stdout).toBe('');
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(ACTING);
});

/** What a command writes to a terminal that shows colours. */
async function onTerminal(cwd: string, words: readonly string[], env = {}): Promise<string> {
  let text = '';
  const output: Output = {
    write(piece) {
      text += piece;
    },
    isTTY: true,
    columns: 200,
  };
  const stdin = (async function* () {})();
  await main(words, { stdin, stdout: output, stderr: output, env, cwd });
  return text;
}

test('the list of fmt --check is shown on a terminal, and exact in a pipe', async () => {
  const cwd = directoryWith({ [`${NAME}.toml`]: UNTIDY });
  const check = ['objective', 'fmt', '--check', `${NAME}.toml`];
  expect((await perturb(check, { cwd })).stdout).toBe(`${NAME}.toml\n`);
  const shown = (await onTerminal(cwd, check)).replaceAll('\r\u001b[K', '');
  expect(shown).toMatch(/^\\u\{1b\}\[2J/);
  expect(shown).not.toMatch(ACTING);
});

test('the colours of a report stay, and those of a file do not', async () => {
  const cwd = directoryWith({});
  mkdirSync(join(cwd, 'in'));
  writeFileSync(join(cwd, 'in', 'a.toml'), 'name = 3 # \u001b[31m');
  const text = await onTerminal(cwd, ['objective', 'lint', 'in/a.toml'], { TERM: 'xterm' });
  expect(text).toContain('\u001b[31m');
  expect(text).toContain('\\u{1b}[31m');
  const plain = await onTerminal(cwd, ['objective', 'lint', 'in/a.toml'], { NO_COLOR: '1' });
  expect(plain.replaceAll('\r\u001b[K', '')).not.toMatch(ACTING);
});

test('property: nothing acts on a terminal but what Perturb itself sends', () => {
  const own = ['\u001b[1m', '\u001b[0;31m', '\u001b]8;;https://a/#b\u001b\\', '\r\u001b[K'];
  const pieces = [
    ...own,
    ...['\u001b', '[', ']8;;', '\u0007', '\u001b\\', '\r', '\n', '\t', '\b', '\u0000', '\u007f'],
    ...['\u0085', '\u009b', '\u009d', '\u202a', '\u202e', '\u2066', '\u2069', '\u200f', '\u061c'],
    ...[
      '\u2028',
      '\ud800',
      'a',
      '1',
      ';',
      'm',
      'K',
      '\u001b]52;c;YQ==\u0007',
      '\u001b[?1049h',
      'ä',
      '😀',
    ],
  ];
  const sent = (text: string, isTTY: boolean): string => {
    let written = '';
    const stderr: Output = {
      write(piece) {
        written += piece;
      },
      isTTY,
    };
    const stdin = (async function* () {})();
    withEscapedOutput({ stdin, stdout: stderr, stderr, env: {}, cwd: '/' }, undefined).stderr.write(
      text,
    );
    return written;
  };
  const esc = '\u001b';
  const isOwn = new RegExp(`${esc}\\[[\\d;]*m|${esc}\\]8;;[!-~]*${esc}\\\\|\\r${esc}\\[K|\\t`, 'g');
  for (let seed = 0; seed < 3_000; seed += 1) {
    const text = roll(seed).text(20, pieces);
    const written = sent(text, true);
    expect([seed, ACTING.test(written.replace(isOwn, '.'))]).toEqual([seed, false]);
    expect([seed, sent(written, true)]).toEqual([seed, written]);
    expect([seed, ACTING.test(sent(text, false).replaceAll('\t', ''))]).toEqual([seed, false]);
  }
  for (const sequence of own) expect(sent(sequence, true)).toBe(sequence);
});
