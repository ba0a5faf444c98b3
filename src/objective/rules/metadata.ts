import { isPlain, quote, suggestedFix } from '../../diagnostics/index.js';
import type { ObjectiveRule } from '../draft.js';
import { MEASUREMENT, objectiveExample, STOP } from './example.js';

export const invalidMetadata: ObjectiveRule = {
  id: 'objective/invalid-metadata',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'a metadata comment, such as `# @requirement = "REQ-7"`, without a string or in the wrong place',
  why: 'The comment has no effect: reports omit it, and `--only` cannot select by it.',
  action:
    'Write `# @WORD = "VALUE"` on a line in the comments directly above `[[measurement]]`, or above `name`.',
  examples: {
    fails: objectiveExample(`# @requirement = "REQ-7"\n\n${MEASUREMENT}`, STOP),
    passes: objectiveExample(`# @requirement = "REQ-7"\n${MEASUREMENT}`, STOP),
  },
  check({ document, metadata }, report) {
    for (const { word, span, written: at, value, owner } of metadata) {
      const name = quote(`@${word}`);
      if (value === undefined) {
        const written = document.file.text.slice(at.start, at.end).trimEnd();
        const instead =
          isPlain(written) && /^[^"'\\#]+$/.test(written) ? `"${written}"` : undefined;
        report({
          message: `the value of ${name} is not a string`,
          help: instead === undefined ? `expected a string: # @${word} = "..."` : undefined,
          span,
          fix: instead === undefined ? undefined : suggestedFix(at, instead),
        });
      } else if (owner === undefined) {
        report({
          message: `${name} is not directly above [[measurement]] or "name"`,
          help: 'move the comment directly above, onto its own line, with no empty line in between',
          span,
        });
      }
    }
  },
};
