import stringWidth from 'string-width';
import { clip, visible } from '../../../basics/index.js';
import type { Objective } from '../../../objective/index.js';
import {
  type AttemptProgress,
  closestAttempts,
  percent,
  planText,
  type RunProgress,
  whyTexts,
} from '../../../results/index.js';
import { type RunState, type RunUpdate, SHRINK_LIMITS, tally } from '../../../runner/index.js';
import { durationText } from '../../../values/index.js';
import type { Output } from '../../runtime/command.js';

/** Interval in milliseconds between progress lines on an output that is not a terminal. */
const LINE_MS = 10_000;

/** Tracks a run's progress from its news. */
export function trackRun({ stoppingConditions }: Objective) {
  /** Attempts in progress, by bench. */
  const underWay = new Map<string | undefined, AttemptProgress>();
  /** The attempt whose set is being minimized. */
  let shrinks: number | undefined;
  let isBaseline = false;
  let current: RunState | undefined;
  const setPhase = (bench: string | undefined, phase: string) => {
    const known = underWay.get(bench);
    if (known !== undefined) underWay.set(bench, { ...known, phase });
  };
  return {
    tell(news: RunUpdate, state: RunState): void {
      current = state;
      switch (news.kind) {
        case 'attempt': {
          const { n, baseline, plan, bench } = news.record;
          isBaseline = baseline === true;
          shrinks = news.record.shrinks;
          const set = isBaseline ? undefined : planText(plan);
          underWay.set(bench, { n, bench, set, phase: '' });
          break;
        }
        case 'phase':
          setPhase(news.bench, news.phase);
          break;
        case 'measured':
          underWay.delete(news.attempt.bench);
          break;
        case 'set-aside':
          underWay.delete(news.bench);
          break;
        case 'repeating':
          setPhase(news.bench, `waiting for ${news.servers.join(', ')}`);
          break;
      }
    },
    /** Returns the run's progress; undefined before its first news. Iterates over all attempts. */
    progress(): RunProgress | undefined {
      if (current === undefined) return undefined;
      const isOwn = !isBaseline && shrinks === undefined;
      return {
        at: Date.now(),
        counts: isBaseline
          ? 'baseline'
          : isOwn
            ? countsText(stoppingConditions, current)
            : shrinkingText(current, shrinks),
        left: isOwn ? leftText(stoppingConditions, current) : undefined,
        closest: isOwn ? closestMargin(current) : undefined,
        attempts: [...underWay.values()],
      };
    },
  };
}

/**
 * Shows a run's progress. A terminal shows one updated line; any other output gets a line at
 * intervals and after each failed attempt.
 */
export function startRunProgress(output: Output, run: ReturnType<typeof trackRun>) {
  const isTerminal = output.isTTY === true;
  let isShown = false;
  const line = (words: string) => output.write(`perturb: ${visible(words)}\n`);
  const writeLine = () => {
    const progress = run.progress();
    if (progress !== undefined) line(progressText(progress));
  };
  const timer = isTerminal ? undefined : setInterval(writeLine, LINE_MS);
  timer?.unref();
  return {
    /** Updates the display after news. */
    tell(news: RunUpdate): void {
      if (!isTerminal) {
        const text = failureText(news);
        if (text !== undefined) line(text);
        return;
      }
      const progress = run.progress();
      if (progress === undefined) return;
      const text = visible(progressText(progress));
      output.write(`\r\x1b[K${clip(text, (output.columns ?? 80) - 1, '', stringWidth)}`);
      isShown = true;
    },
    /** Removes the line from the terminal, and stops the timer. */
    end(): void {
      clearInterval(timer);
      if (isShown) output.write('\r\x1b[K');
      isShown = false;
    },
  };
}

/** Returns the line for a failed attempt; undefined for other news. */
function failureText(news: RunUpdate): string | undefined {
  if (news.kind !== 'measured') return undefined;
  const { n, result, bench, baseline, shrinks, repeats: of } = news.attempt;
  if (result.outcome !== 'failed' || baseline || shrinks !== undefined) return undefined;
  const where = bench === undefined ? '' : ` on bench ${bench}`;
  const which = of === undefined ? `attempt ${n}` : `attempt ${n}, which repeats ${of},`;
  return `${which}${where} failed: ${whyTexts(news.attempt).join('; ')}`;
}

function progressText({ counts, left, closest, attempts }: RunProgress): string {
  const [first, ...others] = attempts;
  const now = others.length === 0 ? [first?.phase, first?.set] : [`on ${attempts.length} benches`];
  return [
    counts,
    left === undefined ? '' : `${left} left`,
    closest === undefined ? '' : `closest margin ${closest}`,
    ...now,
  ]
    .filter(Boolean)
    .join(' | ');
}

type Stop = Objective['stoppingConditions'];

/** Returns the counts of attempts and outcomes, as in `12 of 40: 9 passed, 2 failed`. */
function countsText({ attempts: most }: Stop, state: RunState): string {
  const { passed, failed, skipped, inconclusive, guarded } = tally(state);
  const next = passed + failed + 1;
  const others = Object.entries({ skipped, inconclusive, guarded });
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...others.flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])),
  ].join(', ');
  return `${most === undefined ? next : `${Math.min(next, Number(most))} of ${most}`}: ${counts}`;
}

function shrinkingText({ attempts }: RunState, shrinks: number | undefined): string {
  const made = attempts.filter((one) => one.shrinks === shrinks);
  const count = (wanted: string) => made.filter(({ result }) => result.outcome === wanted).length;
  return `shrinking attempt ${shrinks}: try ${made.length + 1} of at most ${SHRINK_LIMITS.total}: ${count('passed')} passed, ${count('failed')} failed`;
}

/**
 * Returns the maximum remaining time: until the time limit, or for the remaining attempts at the
 * average pace, whichever is shorter. Returns undefined if unknown.
 */
function leftText({ attempts: most, timeMs }: Stop, state: RunState): string | undefined {
  const { passed, failed } = tally(state);
  const judged = passed + failed;
  const left = Math.min(
    timeMs === undefined ? Number.POSITIVE_INFINITY : timeMs - state.elapsed,
    most === undefined || judged === 0
      ? Number.POSITIVE_INFINITY
      : (state.elapsed / judged) * (Number(most) - judged),
  );
  // Rounds up to whole seconds, at least one.
  return left < Number.POSITIVE_INFINITY
    ? durationText(Math.max(1, Math.ceil(left / 1_000)) * 1_000)
    : undefined;
}

/** Returns the smallest margin of all measurements that never failed, as in `8 %`. */
function closestMargin(state: RunState): string | undefined {
  const margins = closestAttempts(state).map(({ margin }) => margin);
  return margins.length === 0 ? undefined : `${percent(Math.min(...margins))} %`;
}
