import {
  cellCode,
  codeBlock,
  escapeMarkdown,
  inlineCode,
  markdownTable,
} from '../../basics/index.js';
import {
  type CausePart,
  type MeasurementDocument,
  planText,
  type RunReportDocument,
  type ShrinkingPart,
} from '../../results/index.js';
import type { ResultLook } from '../terminal/paint.js';
import { drawEvidence, resultLines } from './evaluation-text.js';
import { attemptsToList } from './run-text.js';

/*
 * Results as Markdown, such as for a job summary or a comment on a change. Untrusted names and
 * texts are escaped, so Markdown syntax in them has no effect.
 */

/**
 * Returns an objective's measurements as Markdown: a table, and a collapsible widget with each
 * failure's evidence.
 */
export function renderMeasurementMarkdown(document: MeasurementDocument, look: ResultLook): string {
  const { objective, headline, sessions, counts } = document;
  const rows = sessions.flatMap(({ name: session, measurements, unread }) =>
    unread === undefined
      ? measurements.map((one) => [
          ...[escapeMarkdown(session), escapeMarkdown(one.name), one.verdict],
          escapeMarkdown(resultLines(one.evaluation, look, one.vacuity).join('; ')),
        ])
      : [[escapeMarkdown(session), '', 'not read', escapeMarkdown(unread.join('; '))]],
  );
  const failed = sessions.flatMap(({ name: session, measurements }) =>
    measurements
      .filter(({ verdict }) => verdict === 'failed')
      .map((one) => collapsible(`${one.name}, ${session}`, drawEvidence(one.evaluation, look))),
  );
  const verdict = counts.map(({ text }) => text).join(', ') || 'nothing was measured';
  return [
    `### ${escapeMarkdown(objective)}: ${verdict}\n\n**${escapeMarkdown(headline.text)}**\n`,
    markdownTable(['session', 'measurement', 'verdict', 'found'], rows),
    ...failed,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Returns a collapsible widget; empty without a body. */
function collapsible(title: string, body: string): string {
  if (body.trim() === '') return '';
  // Within a summary, Markdown would be raw HTML.
  return `<details><summary>Evidence</summary>\n\n${escapeMarkdown(title)}:\n\n${codeBlock('text', body.trimEnd())}\n\n</details>\n`;
}

/**
 * Returns a run as Markdown: the result, the attempts that did not pass, the shrunk sets and the
 * evidence.
 */
export function renderRunMarkdown(document: RunReportDocument, look: ResultLook): string {
  const { objective, headline, facts, measurements, attempts, shrunk, causes } = document;
  const { shown, repeat } = attemptsToList(attempts);
  const parts = [
    `### ${escapeMarkdown(objective)}\n\n**${escapeMarkdown(headline.text)}**\n\nEnded: ${escapeMarkdown(facts.ended)}\n`,
    measurements.length === 0
      ? ''
      : markdownTable(
          ['measurement', 'passed', 'failed', 'undecided'],
          measurements.map(({ name, counts: { passed, failed, undecided } }) => [
            ...[escapeMarkdown(name), `${passed}`, `${failed}`, `${undecided}`],
          ]),
        ),
    shown.length === 0
      ? ''
      : markdownTable(
          ['attempt', 'outcome', 'set', 'why'],
          shown.map(({ n, outcome, plan, why }) => [
            ...[`${n}`, outcome, cellCode(planText(plan)), escapeMarkdown(why.join('; '))],
          ]),
        ),
    repeat === undefined ? '' : `To repeat: ${inlineCode(repeat)}\n`,
    ...shrunk.map(shrunkMarkdown),
    ...causes.map((one) => causeMarkdown(one, look)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function shrunkMarkdown(part: ShrinkingPart): string {
  const { none, of, title, plan, rate, found, borders, repeat } = part;
  if (none !== undefined) return `- attempt ${of}: ${escapeMarkdown(none)}\n`;
  const lines = [
    `${title}: ${inlineCode(planText(plan))}`,
    ...borders.map(escapeMarkdown),
    escapeMarkdown(`fails: ${rate}`),
    escapeMarkdown(`found in ${found}`),
    `to repeat: ${inlineCode(repeat)}`,
  ];
  return lines.map((line) => `- ${line}\n`).join('');
}

function causeMarkdown({ name, evidence }: CausePart, look: ResultLook): string {
  if (evidence === undefined) return '';
  return collapsible(
    `${name}, attempt ${evidence.attempt}`,
    drawEvidence(evidence.evaluation, look),
  );
}
