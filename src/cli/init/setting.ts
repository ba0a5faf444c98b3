import { type Setting, settingsIn } from '../../actuators/acting/index.js';
import { quote, suggest } from '../../diagnostics/index.js';
import { MUTATOR_KINDS } from '../mutators/manifests.js';
import { type Io, usageFailure } from '../runtime/command.js';
import { readNamedFile } from '../runtime/io.js';
import type { Prompter } from './dialog.js';

/* The setting changed by a mutator. */

const KEY = /^(?<file>[^:]+):(?<key>[^=]+)=(?<values>.+)$/;
const VALUES = /^.+(?:\.\.|,).+$/;

/**
 * Returns the arguments for adding a FILE:KEY=VALUES mutator to a manifest.
 *
 * @throws CommandFailure (usage) for any other text
 */
export function settingArguments(io: Io, text: string): readonly string[] {
  const { file, key = '', values = '' } = KEY.exec(text)?.groups ?? {};
  if (file === undefined || !VALUES.test(values)) {
    const help = 'Expected FILE:KEY=LOW..HIGH or FILE:KEY=A,B.';
    throw usageFailure(`${quote(text)} is not a setting`, help);
  }
  return wordsFor(file, keyIn(file, settingsOf(io, file), key), values);
}

/** Prompts for a file, for one of its settings, and for the setting's values. */
export async function askForSetting(io: Io, ask: Prompter): Promise<readonly string[]> {
  const missing = 'init needs a setting to change (--key) or --address';
  const { file, settings } = await ask({
    text: 'Which file has the setting to change, such as settings.json?',
    missing,
    read: (file) => ({ file, settings: settingsOf(io, file) }),
  });
  const listed = settings.map((one) => `  ${keyOf(one)} = ${one.value}\n`).join('');
  const setting = await ask({
    text: `${listed}Which setting to change?`,
    missing,
    read: (key) => keyIn(file, settings, key),
  });
  return ask({
    text: `Between which values? LOW..HIGH or A,B,...; the first disturbs least (now ${setting.value})`,
    missing,
    read: (values) => {
      if (VALUES.test(values)) return wordsFor(file, setting, values);
      throw usageFailure(`${quote(values)} is neither LOW..HIGH nor A,B,...`);
    },
  });
}

function wordsFor(file: string, setting: Setting, values: string): readonly string[] {
  const kind = values.includes('..') ? 'range' : 'values';
  // Rejects invalid values while the user can still correct them.
  MUTATOR_KINDS['key']?.blanks[kind]?.write(values);
  return ['key', '--file', file, '--key', keyOf(setting), `--${kind}`, values];
}

const keyOf = ({ keys }: Setting) => keys.join('.');

function keyIn(file: string, settings: readonly Setting[], key: string): Setting {
  const found = settings.find((one) => keyOf(one) === key);
  if (found !== undefined) return found;
  const help = suggest(key, settings.map(keyOf));
  throw usageFailure(`${file} has no value at ${quote(key)}`, help);
}

/**
 * Returns a file's settings whose keys can be joined with dots.
 *
 * @throws {PerturbError} if there are none
 */
function settingsOf(io: Io, file: string): readonly Setting[] {
  const settings = settingsIn(file, readNamedFile(io, file)).filter(({ keys }) =>
    keys.every((one) => !/^$|\./.test(one)),
  );
  if (settings.length > 0) return settings;
  throw usageFailure(`${file} has no value that can be changed`);
}
