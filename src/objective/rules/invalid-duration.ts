import { quote } from '../../diagnostics/index.js';
import { parseDuration } from '../../values/index.js';
import type { ObjectiveRule } from '../rule.js';
import { example, MEASUREMENT } from './example.js';

export const invalidDuration: ObjectiveRule = {
  meta: {
    id: 'objective/invalid-duration',
    severity: 'error',
    fixable: true,
    summary: '`time` is not a duration',
    why: 'The objective would stop at another time than you mean, or never.',
    action:
      'Write numbers with the units `d`, `h`, `min`, `s` or `ms`, from large to small, as in `1h 30min`.',
    examples: {
      fails: example('[stopping_conditions]\ntime = "1h 30m"', MEASUREMENT),
      passes: example('[stopping_conditions]\ntime = "1h 30min"', MEASUREMENT),
    },
  },
  check({ document, objective: { stopping_conditions } }, report) {
    const time = stopping_conditions?.keys.time;
    const parsed = time === undefined ? undefined : parseDuration(time);
    if (parsed === undefined || !('problem' in parsed)) return;
    const { problem, help, instead } = parsed;
    const span = document.embed(['stopping_conditions', 'time']).toFile(parsed.span);
    report({
      message: problem,
      ...(help !== undefined && { help }),
      span,
      ...(instead !== undefined && {
        fix: { title: `write ${quote(instead)}`, edits: [{ span, text: instead }] },
      }),
    });
  },
};
