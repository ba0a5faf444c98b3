import type { RankContrast, RunDifference, Spread } from '../comparison/index.js';
import type { Proportion } from '../statistics/index.js';
import { nanosecondsText } from '../values/index.js';
import { shortNumber } from './axis.js';
import { durationValue } from './evidence-text.js';
import { chanceText, rateText } from './rates.js';

/** A difference between two runs, prepared for output. */
export interface ContrastPart {
  readonly title: string;
  readonly a: string;
  readonly b: string;
  /** The corrected p-value. */
  readonly p: string;
  /** The verdict on B; empty for an insignificant difference. */
  readonly verdict: '' | 'worse' | 'better' | 'differs';
}

export function toContrastPart({
  contrast,
  corrected,
  isSignificant,
  tendency,
}: RunDifference): ContrastPart {
  const verdict = tendency === 'other' ? 'differs' : tendency;
  return {
    title: titleOf(contrast),
    ...sidesOf(contrast),
    p: chanceText(corrected).replace(/^p (?:= )?/, ''),
    verdict: isSignificant ? verdict : '',
  };
}

/**
 * Describes a difference with its p-value, such as `failed attempts rose from 1 of 40 to 12 of 40
 * (p = 0.0012, corrected)`.
 */
export function differenceText(difference: RunDifference): string {
  const { contrast, corrected } = difference;
  return `${changeText(contrast)} (${chanceText(corrected)}, corrected)`;
}

/** True if the compared values are durations. */
export function isTimeContrast({ kind, measure }: RankContrast): boolean {
  if (kind === 'recovery' || measure?.unit === 'duration') return true;
  return measure !== undefined && durationValue(measure.text, '0', measure.right) !== undefined;
}

type Contrast = RunDifference['contrast'];

function titleOf(contrast: Contrast): string {
  switch (contrast.kind) {
    case 'no-verdict':
      return 'attempts without a verdict';
    case 'failed':
      return 'failed attempts';
    case 'measurement':
      return `failures of "${contrast.name}"`;
    case 'event':
      return `attempts with event "${contrast.name}"`;
    case 'value':
      return `${leftSide(contrast.measure?.text ?? '')} of "${contrast.name}"`;
    case 'margin':
      return `margin of "${contrast.name}"`;
    case 'recovery':
      return 'time to recover';
    case 'sets':
      return 'sets that failed in only one run';
  }
}

function sidesOf(contrast: Contrast): Pick<ContrastPart, 'a' | 'b'> {
  if (!('delta' in contrast)) return { a: shareText(contrast.a), b: shareText(contrast.b) };
  return { a: spreadText(contrast.a, contrast), b: spreadText(contrast.b, contrast) };
}

function changeText(contrast: Contrast): string {
  const title = titleOf(contrast);
  if ('delta' in contrast) {
    const { delta, pairs, a, b } = contrast;
    const change = `from ${valueText(a.median, contrast)} to ${valueText(b.median, contrast)}`;
    if (delta > 0 && b.median > a.median) return `${title} rose ${change}`;
    if (delta < 0 && b.median < a.median) return `${title} fell ${change}`;
    // The medians do not show the direction of most pairs.
    const share = Math.round(50 * (1 + Math.abs(delta)));
    const of = pairs === undefined ? 'pairs of attempts' : 'sets';
    return `${title} is ${delta > 0 ? 'greater' : 'less'} in B in ${share} % of ${of}`;
  }
  const { kind, name, a, b } = contrast;
  if (kind === 'sets') return `${b.count} sets failed in B alone, ${a.count} in A alone`;
  if (kind === 'event' && b.count === 0)
    return `event "${name}" is gone, from ${countText(a)} attempts`;
  if (kind === 'event' && a.count === 0)
    return `event "${name}" is new, in ${countText(b)} attempts`;
  const rises = b.count * a.of > a.count * b.of;
  return `${title} ${rises ? 'rose' : 'fell'} from ${countText(a)} to ${countText(b)}`;
}

function countText({ count, of }: Proportion): string {
  return `${count} of ${of}`;
}

function shareText(share: Proportion): string {
  const { count, of } = share;
  return of === 0 ? 'none' : `${countText(share)}, ${rateText(count, of)}`;
}

/** Formats a median with its quartiles. */
function spreadText({ low, median, high }: Spread, contrast: RankContrast): string {
  const text = (value: number) => valueText(value, contrast);
  return low === high ? text(median) : `${text(median)} (${text(low)} to ${text(high)})`;
}

function valueText(value: number, contrast: RankContrast): string {
  if (contrast.kind === 'recovery' && value === Number.POSITIVE_INFINITY) return 'never';
  const rounded = Number(value.toPrecision(4));
  if (!Number.isFinite(rounded)) return String(value);
  const { text = '', right = '' } = contrast.measure ?? {};
  const inUnit = durationValue(text, String(rounded), right);
  return inUnit ?? (isTimeContrast(contrast) ? nanosecondsText(rounded) : shortNumber(rounded));
}

/**
 * Returns the left side of a comparison's text, such as `p99(b.time - a.time)` for `p99(b.time -
 * a.time) < 1s`.
 */
function leftSide(text: string): string {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/'[^']*'|[()]| (?:<=|>=|!=|[<>=]) /g)) {
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (depth === 0 && sign.startsWith(' ')) return text.slice(0, index);
  }
  return text;
}
