/*
 * Layouts of times in the style of strptime, such as `%y/%m/%d %H:%M:%S`, in the group `time` of a pattern. The
 * text between their directives remains a regular expression.
 */

const TWO = String.raw`\d\d`;
const NAME = String.raw`[A-Za-z]{3,9}\.?`;

/** The pattern of each directive, and its part of the time, if any. */
const DIRECTIVES: Readonly<Record<string, readonly [pattern: string, part?: string]>> = {
  Y: [String.raw`\d{4}`, 'year'],
  y: [TWO, 'shortYear'],
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
  M: [TWO, 'minute'],
  S: [TWO, 'second'],
  f: [String.raw`\d{1,9}`, 'fraction'],
  p: ['[AaPp][Mm]', 'half'],
  z: [String.raw`Z|[+-]\d\d:?\d\d`, 'zone'],
  Z: ['[A-Z]{1,5}'],
};

/** Abbreviations for several directives. */
const SHORT: Readonly<Record<string, string>> = {
  T: '%H:%M:%S',
  R: '%H:%M',
  F: '%Y-%m-%d',
  D: '%m/%d/%y',
};

const DIRECTIVE = /%([A-Za-z%])/g;

/** A pattern without directives, and the layouts of its times, if any. */
export interface LaidOutPattern {
  readonly pattern: string;
  /** Each matches a time, with its parts as groups. */
  readonly layouts: readonly RegExp[];
}

/**
 * Replaces the directives in the group `time` of a pattern.
 *
 * @throws {SyntaxError} for a directive that is not known, and for a part that a time has twice
 */
export function layOutPattern(pattern: string): LaidOutPattern {
  const span = groupSpan(pattern);
  const written = span && expanded(pattern.slice(...span));
  if (span === undefined || written === undefined || !DIRECTIVE.test(written)) {
    return { pattern, layouts: [] };
  }
  DIRECTIVE.lastIndex = 0;
  const plain = written.replace(DIRECTIVE, (_, letter) => `(?:${directive(letter)[0]})`);
  const layouts = alternatives(written).map((one) => {
    const parts = new Set<string>();
    const source = one.replace(DIRECTIVE, (_, letter) => {
      const [matched, part] = directive(letter);
      if (part === undefined) return `(?:${matched})`;
      if (parts.has(part)) throw new SyntaxError(`the time has its ${part} twice`);
      parts.add(part);
      return `(?<${part}>${matched})`;
    });
    return new RegExp(`^(?:${source})$`);
  });
  return { pattern: pattern.slice(0, span[0]) + plain + pattern.slice(span[1]), layouts };
}

function expanded(written: string): string {
  return written.replace(DIRECTIVE, (all, letter) => SHORT[letter] ?? all);
}

function directive(letter: string): readonly [string, string?] {
  if (letter === '%') return ['%'];
  const found = DIRECTIVES[letter];
  if (found !== undefined) return found;
  const directives = [...Object.keys(DIRECTIVES), ...Object.keys(SHORT)].map((one) => `%${one}`);
  throw new SyntaxError(
    `%${letter} is no part of a time: use ${directives.join(' ')}, or %% for a %`,
  );
}

const GROUP = '(?<time>';

/** Returns the start and the end of the group `time`'s content. */
function groupSpan(pattern: string): readonly [number, number] | undefined {
  const start = pattern.indexOf(GROUP) + GROUP.length;
  if (start < GROUP.length) return undefined;
  const end = start + (splits(pattern.slice(start), ')')[0] ?? -1);
  return end < start ? undefined : [start, end];
}

function alternatives(written: string): readonly string[] {
  const bars = splits(written, '|');
  return [...bars, written.length].map((end, at) =>
    written.slice(at === 0 ? 0 : (bars[at - 1] as number) + 1, end),
  );
}

/**
 * Returns the positions of a character in a pattern outside of its groups and classes, up to the end of the
 * enclosing group.
 */
function splits(pattern: string, wanted: string): readonly number[] {
  const positions: number[] = [];
  let depth = 0;
  let isClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const one = pattern[at];
    if (one === '\\') at++;
    else if (isClass) isClass = one !== ']';
    else {
      if (depth === 0 && one === wanted) positions.push(at);
      if (one === '[') isClass = true;
      else if (one === '(') depth++;
      else if (one === ')' && --depth < 0) break;
    }
  }
  return positions;
}
