import stringWidth from 'string-width';
import { clip, visible } from '../../../basics/index.js';
import type { Objective } from '../../../objective/index.js';
import { planText, whyTexts } from '../../../results/index.js';
import { type RunNews, type RunState, SHRINK_LIMITS, tally } from '../../../runner/index.js';
import { durationText } from '../../../values/index.js';
import type { Output } from '../../runtime/command.js';

/** How often progress is written as a line, where none can be replaced. */
const LINE_MS = 10_000;

/** Shows the progress of a run: in one line on a terminal; elsewhere a line now and then, and one for each attempt that failed. */
export function startRunProgress(output: Output, objective: Objective) {
  const isTerminal = output.isTTY === true;
  /** Composed only when it is shown: it goes through all attempts. */
  let text = () => '';
  /** What is under way: one at most, or one at each bench. */
  const underWay = new Map<string | undefined, { set: string; phase: string }>();
  /** The attempt whose set is made smaller. */
  let shrinks: number | undefined;
  let isBaseline = false;
  let isShown = false;
  const setPhase = (bench: string | undefined, phase: string) => {
    const known = underWay.get(bench);
    if (known !== undefined) known.phase = phase;
  };
  const line = (words: string) => output.write(`perturb: ${visible(words)}\n`);
  const timer = isTerminal ? undefined : setInterval(() => text() !== '' && line(text()), LINE_MS);
  timer?.unref();
  const show = () => {
    if (!isTerminal) return;
    output.write(`\r\x1b[K${clip(visible(text()), (output.columns ?? 80) - 1, '', stringWidth)}`);
    isShown = true;
  };
  return {
    tell(news: RunNews, state: RunState): void {
      if (news.kind === 'attempt') {
        const { baseline, plan, bench } = news.record;
        isBaseline = baseline === true;
        shrinks = news.record.shrinks;
        underWay.set(bench, { set: isBaseline ? '' : planText(plan), phase: '' });
      }
      if (news.kind === 'phase') setPhase(news.bench, news.phase);
      if (news.kind === 'measured') {
        const { n, result, bench, baseline, shrinks: isPart, repeats: of } = news.attempt;
        underWay.delete(bench);
        const isNews = result.outcome === 'failed' && !baseline && isPart === undefined;
        const where = bench === undefined ? '' : ` at bench ${bench}`;
        const which = of === undefined ? `attempt ${n}` : `attempt ${n}, which repeats ${of},`;
        if (isNews && !isTerminal)
          line(`${which}${where} failed: ${whyTexts(news.attempt).join('; ')}`);
      }
      if (news.kind === 'set-aside') underWay.delete(news.bench);
      if (news.kind === 'repeating') {
        setPhase(news.bench, `waiting for ${news.servers.join(', ')}`);
      }
      text = () => {
        const tried = state.attempts.filter((one) => one.shrinks === shrinks).length;
        const counts = isBaseline
          ? 'baseline'
          : shrinks === undefined
            ? countsText(objective, state)
            : `shrinking attempt ${shrinks}: try ${tried + 1} of at most ${SHRINK_LIMITS.total}`;
        const [{ phase, set } = { phase: '', set: '' }, ...others] = [...underWay.values()];
        const now = others.length === 0 ? [phase, set] : [`at ${underWay.size} benches`];
        return [counts, ...now].filter(Boolean).join(' | ');
      };
      show();
    },
    /** Removes the line from a terminal, and stops the timer. */
    end(): void {
      clearInterval(timer);
      if (isShown) output.write('\r\x1b[K');
      isShown = false;
    },
  };
}

/** Attempts, outcomes and the time left: `12 of 40: 9 passed, 2 failed | 3min left`. */
function countsText(objective: Objective, state: RunState): string {
  const { passed, failed, skipped, inconclusive, guarded } = tally(state);
  const judged = passed + failed;
  const { attempts: most, timeMs } = objective.stoppingConditions;
  const of = most === undefined ? '' : ` of ${most}`;
  const others = Object.entries({ skipped, inconclusive, guarded });
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...others.flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : [])),
  ].join(', ');
  // At most: until the time limit, or for the attempts left at the pace of those before.
  const left = Math.min(
    timeMs === undefined ? Number.POSITIVE_INFINITY : timeMs - state.elapsed,
    most === undefined || judged === 0
      ? Number.POSITIVE_INFINITY
      : (state.elapsed / judged) * (Number(most) - judged),
  );
  return [
    `${most === undefined ? judged + 1 : Math.min(judged + 1, Number(most))}${of}: ${counts}`,
    // In whole seconds, at least one.
    ...(left < Number.POSITIVE_INFINITY
      ? [`${durationText(Math.max(1, Math.ceil(left / 1_000)) * 1_000)} left`]
      : []),
  ].join(' | ');
}
