import type { HelpConfiguration, Option } from 'commander';
import { wrap } from '../../reporters/index.js';

/** Beside the names of flags there is little room on a narrow terminal, and it is used. */
const NARROWEST_DESCRIPTION = 16;

/** How Commander writes our help texts. */
export const helpStyle = {
  showGlobalOptions: true,
  minWidthToWrap: NARROWEST_DESCRIPTION,
  optionDescription,
  argumentDescription: ({ description, defaultValue, defaultValueDescription }) =>
    defaultValue === undefined
      ? description
      : `${description} (default: ${defaultValueDescription ?? defaultValue})`,
} satisfies HelpConfiguration;

/** A flag with its choices and its default, as the user may type them. */
function optionDescription(option: Option): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = option;
  const takesValue = option.required || option.optional;
  const byDefault = takesValue ? (defaultValueDescription ?? defaultValue) : undefined;
  const details = [
    ...(argChoices === undefined ? [] : [`choices: ${argChoices.join(', ')}`]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ];
  return details.length === 0 ? description : `${description} (${details.join('; ')})`;
}

/**
 * A help text that fits a terminal: its prose is laid out anew, and a long command goes on behind a
 * backslash, so that it can be copied. Commander has wrapped the flags by then.
 */
export function fitHelp(text: string, width: number): string {
  const fitted: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const fits = paragraph.every((line) => line.length <= width);
    fitted.push(...(fits ? paragraph : wrap(paragraph.join(' '), width, (part) => part.length)));
    paragraph = [];
  };
  let isExample = false;
  for (const line of text.split('\n')) {
    isExample ||= /^Examples?:$/.test(line);
    const isProse = line !== '' && !line.startsWith(' ');
    if (isProse) paragraph.push(line);
    // A sentence that ends with its line ends a paragraph too, such as one before "Exit codes:".
    if (!isProse || /[.:]$/.test(line)) endParagraph();
    if (!isProse) fitted.push(...(isExample ? foldCommand(line, width) : [line]));
  }
  endParagraph();
  return fitted.join('\n');
}

/** Breaks a command between its arguments, each line but the last with a backslash. */
function foldCommand(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const indent = / */.exec(line)?.[0] ?? '';
  const [first = '', ...more] = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const lines: string[] = [];
  let current = indent + first;
  for (const word of more) {
    if (`${current} ${word} \\`.length <= width) {
      current += ` ${word}`;
    } else {
      lines.push(`${current} \\`);
      current = `${indent}  ${word}`;
    }
  }
  return [...lines, current];
}
