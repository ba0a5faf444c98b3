import { formatRange, type Mutator, type Parameter, show } from '../../mutators/model/index.js';

const WIDTH = 80;
const ACTING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * A text of any kind as comment lines: wrapped at spaces, with what a comment
 * cannot hold as escapes, and none that the linter would take for an ignore.
 */
export function commentLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trim().replace(ACTING, escapeCharacter))
    .filter((line) => line !== '')
    .flatMap((line) => wrap(line, WIDTH - 2))
    .map((line) => (line.startsWith('perturb:') ? `# - ${line}` : `# ${line}`));
}

/** What a mutator is, for its comment. */
export function describeMutator(mutator: Mutator): string[] {
  const { description, layer, operation, statefulness, safety } = mutator;
  const kind = [layer, operation, statefulness].filter((word) => word !== undefined);
  return [
    ...commentLines(description ?? ''),
    ...commentLines(kind.join(', ')),
    ...commentLines(safety === undefined ? '' : `Safety: ${safety}`),
  ];
}

/** What a parameter is, for its comment. */
export function describeParameter(parameter: Parameter): string[] {
  const { description = '', type, units, leastEffect } = parameter;
  const facts = [
    `${type}${units === undefined ? '' : ` in ${units}`}`,
    ...takenBy(parameter),
    ...(parameter.default === undefined ? [] : [`default ${show(parameter.default)}`]),
    ...(leastEffect === undefined ? [] : [`least effect ${show(leastEffect)}`]),
  ];
  return [...commentLines(description), ...commentLines(facts.join('; '))];
}

function takenBy({ type, options, hardRange }: Parameter): string[] {
  if (type === 'boolean') return ['true or false'];
  // The options stand below the comment, and may be many.
  if (options !== undefined) return [];
  return [hardRange === undefined ? 'open on both sides' : `hard range ${formatRange(hardRange)}`];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
