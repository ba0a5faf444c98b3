/*
 * Layouts of times in the style of strptime, such as `%y/%m/%d %H:%M:%S`, in a pattern's group `time`. The text between
 * directives is still a regular expression.
 */

const TWO_DIGITS = String.raw`\d\d`;
const NAME = String.raw`[A-Za-z]{3,9}\.?`;

/** The pattern of each directive, and its part of the time, if any. */
const DIRECTIVES: Readonly<Record<string, readonly [pattern: string, part?: string]>> = {
  Y: [String.raw`\d{4}`, 'year'],
  y: [TWO_DIGITS, 'shortYear'],
  m: [String.raw`\d{1,2}`, 'month'],
  d: [String.raw`[ \d]?\d`, 'day'],
  e: [String.raw`[ \d]?\d`, 'day'],
  b: [NAME, 'month'],
  B: [NAME, 'month'],
  h: [NAME, 'month'],
  a: [NAME],
  A: [NAME],
  j: [String.raw`\d{3}`, 'dayOfYear'],
  H: [String.raw`\d{1,2}`, 'hour'],
  I: [String.raw`\d{1,2}`, 'hour'],
  M: [TWO_DIGITS, 'minute'],
  S: [TWO_DIGITS, 'second'],
  f: [String.raw`\d{1,9}`, 'fraction'],
  p: ['[AaPp][Mm]', 'half'],
  z: [String.raw`Z|[+-]\d\d:?\d\d`, 'zone'],
  Z: ['[A-Z]{1,5}'],
};

/** Abbreviations for several directives. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  T: '%H:%M:%S',
  R: '%H:%M',
  F: '%Y-%m-%d',
  D: '%m/%d/%y',
};

const DIRECTIVE = /%([A-Za-z%])/g;

/** A pattern without directives, and the layouts of its times, if any. */
export interface PatternLayout {
  readonly pattern: string;
  /** Regular expressions for a time, with groups for its parts. */
  readonly layouts: readonly RegExp[];
}

/**
 * Compiles the directives in a pattern's group `time`.
 *
 * @throws {SyntaxError} for an unknown directive or a duplicate part
 */
export function layOutPattern(pattern: string): PatternLayout {
  const span = groupSpan(pattern);
  const content = span && expandAbbreviations(pattern.slice(...span));
  if (span === undefined || content === undefined || !DIRECTIVE.test(content)) {
    return { pattern, layouts: [] };
  }
  DIRECTIVE.lastIndex = 0;
  const matchable = content.replace(DIRECTIVE, (_, letter) => `(?:${directive(letter)[0]})`);
  const layouts = splitAlternatives(content).map((alternative) => {
    const parts = new Set<string>();
    const source = alternative.replace(DIRECTIVE, (_, letter) => {
      const [source, part] = directive(letter);
      if (part === undefined) return `(?:${source})`;
      if (parts.has(part)) throw new SyntaxError(`the time pattern contains the ${part} twice`);
      parts.add(part);
      return `(?<${part}>${source})`;
    });
    return new RegExp(`^(?:${source})$`);
  });
  return { pattern: pattern.slice(0, span[0]) + matchable + pattern.slice(span[1]), layouts };
}

function expandAbbreviations(layout: string): string {
  return layout.replace(DIRECTIVE, (match, letter) => ABBREVIATIONS[letter] ?? match);
}

function directive(letter: string): readonly [string, string?] {
  if (letter === '%') return ['%'];
  const entry = DIRECTIVES[letter];
  if (entry !== undefined) return entry;
  const directives = [...Object.keys(DIRECTIVES), ...Object.keys(ABBREVIATIONS)].map(
    (code) => `%${code}`,
  );
  throw new SyntaxError(`unknown directive %${letter}: use ${directives.join(' ')}, or %% for a %`);
}

const GROUP = '(?<time>';

/** Returns the start and the end of the group `time`'s content. */
function groupSpan(pattern: string): readonly [number, number] | undefined {
  const start = pattern.indexOf(GROUP) + GROUP.length;
  if (start < GROUP.length) return undefined;
  const end = start + (findSplits(pattern.slice(start), ')')[0] ?? -1);
  return end < start ? undefined : [start, end];
}

function splitAlternatives(layout: string): readonly string[] {
  const bars = findSplits(layout, '|');
  return [...bars, layout.length].map((end, at) =>
    layout.slice(at === 0 ? 0 : (bars[at - 1] as number) + 1, end),
  );
}

/**
 * Returns the positions of a character in a pattern outside of its groups and classes, up to the end of the
 * enclosing group.
 */
function findSplits(pattern: string, separator: string): readonly number[] {
  const positions: number[] = [];
  let depth = 0;
  let isClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (isClass) isClass = character !== ']';
    else {
      if (depth === 0 && character === separator) positions.push(at);
      if (character === '[') isClass = true;
      else if (character === '(') depth++;
      else if (character === ')' && --depth < 0) break;
    }
  }
  return positions;
}
