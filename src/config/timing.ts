import { quote, type ReportFn, writing } from '../diagnostics/index.js';
import {
  type ConformingTable,
  type Subtables,
  stringOrStrings,
  type TomlDocument,
  type TomlPath,
  table,
  tableWithSubtables,
} from '../toml/index.js';
import { defined, durationViolation, type MinimumDuration, toMs } from '../values/index.js';

const KINDS = ['onset', 'duration'] as const;

/** Minimum times. An onset may be zero, but a duration must be positive. */
const MIN_DURATIONS: Readonly<Record<(typeof KINDS)[number], MinimumDuration>> = {
  onset: 'zero',
  duration: 'more',
};

const keys = {
  onset: {
    format: stringOrStrings,
    description:
      'The delay before a mutation, after the attempt starts or the precondition becomes true: a duration, or [lowest, highest].',
    example: ['0s', '10s'],
  },
  duration: {
    format: stringOrStrings,
    description:
      'The duration of a mutation, or [lowest, highest]. Afterwards, Perturb resets the mutator while the attempt continues.',
    example: ['1s', '5s'],
  },
} as const;

/** The format of the table `[run.timing]`. */
export const timingFormat = tableWithSubtables(keys, table(keys));

type TimesDraft = ConformingTable<typeof keys>;
export type TimingDraft = TimesDraft & Subtables<typeof keys>;

/** A range in whole milliseconds. Both bounds are equal for a fixed time. */
interface Milliseconds {
  readonly least: number;
  readonly most: number;
}

interface TimesSettings {
  readonly onset?: Milliseconds;
  readonly duration?: Milliseconds;
}

/** Onsets and durations of mutations. A mutator's own settings override the general settings. */
export interface TimingSettings extends TimesSettings {
  /** Times by NAME or NAME@PROBE. */
  readonly mutators?: Readonly<Record<string, TimesSettings>>;
}

/** Converts a valid timing table to settings. */
export function toTiming(draft: TimingDraft): TimingSettings {
  const mutators = Object.fromEntries(
    [...draft.subtables].map(([name, times]) => [name, toTimes(times)]),
  );
  return { ...toTimes(draft), ...(draft.subtables.size > 0 && { mutators }) };
}

function toTimes({ keys: { onset, duration } }: TimesDraft): TimesSettings {
  return defined({ onset: toRange(onset, 'onset'), duration: toRange(duration, 'duration') });
}

function toRange(value: TimesDraft['keys']['onset'], kind: keyof typeof MIN_DURATIONS) {
  if (value === undefined) return undefined;
  const [least = 0, most = least] = [value].flat().map((text) => toMs(text, MIN_DURATIONS[kind]));
  return { least, most };
}

/** Reports invalid times. */
export function checkTiming(
  document: TomlDocument,
  draft: TimingDraft | undefined,
  report: ReportFn,
): void {
  if (draft === undefined) return;
  for (const times of [draft, ...draft.subtables.values()]) {
    for (const kind of KINDS) {
      checkRange(document, [...times.path, kind], times.keys[kind], MIN_DURATIONS[kind], report);
    }
  }
}

function checkRange(
  document: TomlDocument,
  path: TomlPath,
  value: TimesDraft['keys']['onset'],
  least: MinimumDuration,
  report: ReportFn,
): void {
  if (value === undefined) return;
  const span = document.valueSpan(path);
  const texts = [value].flat();
  if (texts.length > 2) {
    const message = `${quote(String(path.at(-1)))} has ${texts.length} values`;
    report({ message, help: 'write one duration, or [lowest, highest]', span });
    return;
  }
  const violations = texts.flatMap((text, index) => {
    const valuePath = Array.isArray(value) ? [...path, index] : path;
    return violationOf(document, valuePath, text, least) ?? [];
  });
  for (const violation of violations) report(violation);
  const [lower, upper] = texts;
  if (violations.length > 0 || lower === undefined || upper === undefined) return;
  if ((toMs(lower, least) ?? 0) <= (toMs(upper, least) ?? 0)) return;
  const message = `the lower bound ${quote(lower)} is above the upper bound ${quote(upper)}`;
  report({ message, ...writing(`[${quote(upper)}, ${quote(lower)}]`), span });
}

function violationOf(
  document: TomlDocument,
  path: TomlPath,
  text: string | undefined,
  least: MinimumDuration,
) {
  const span = document.valueSpan(path);
  const violation = durationViolation(text, () => document.embed(path), least);
  if (violation !== undefined) return text === '' ? { ...violation, span } : violation;
  if (text === undefined || Number.isInteger(toMs(text, least))) return undefined;
  const message = `${quote(text)} is not a whole number of milliseconds`;
  return { message, help: 'round it to whole milliseconds', span };
}
