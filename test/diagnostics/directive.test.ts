import { expect, test } from 'vitest';
import { readDirective } from '../../src/diagnostics/inline-ignores.js';

/** What a comment says, with the texts that its spans mark. */
function read(comment: string) {
  const text = `..${comment}`;
  const directive = readDirective(comment, 2);
  return (
    directive && {
      kind: directive.kind,
      marked: [directive.kindSpan, ...directive.ids.map(({ span }) => span)].map(({ start, end }) =>
        text.slice(start, end),
      ),
      ids: directive.ids.map(({ id }) => id),
    }
  );
}

test.each([
  ['# perturb: ignore a/b', 'ignore', ['a/b']],
  ['#perturb:ignore a/b', 'ignore', ['a/b']],
  ['# perturb: ignore-file a/b, c/d', 'ignore-file', ['a/b', 'c/d']],
  ['# perturb: ignore a/b,c/d it is meant so, really', 'ignore', ['a/b', 'c/d']],
  ['# perturb: ignore a/b , c/d', 'ignore', ['a/b', 'c/d']],
  ['# perturb: ignore a/b,', 'ignore', ['a/b']],
  ['# perturb: ignore a/b: it is so', 'ignore', ['a/b']],
  ['# perturb: ignore a/b, c/* -- it is so', 'ignore', ['a/b', 'c/*']],
  ['# perturb: ignore a/b, -- it is so', 'ignore', ['a/b']],
  ['# perturb: ignore -- it is so', 'ignore', []],
  ['# perturb: ignore', 'ignore', []],
  ['# perturb: ignor a/b', 'ignor', ['a/b']],
  ['# perturb:', '', []],
])('%s', (comment, kind, ids) => {
  expect(read(comment)).toEqual({ kind, ids, marked: [kind, ...ids] });
});

test.each(['# perturb', '# about perturb: ignore a/b', '# ignore a/b', '#'])(
  '%s is any comment',
  (comment) => {
    expect(read(comment)).toBeUndefined();
  },
);
