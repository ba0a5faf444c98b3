import { createTwoFilesPatch } from 'diff';

/** A text with the name that a patch gives it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** What `diff -u` prints for two texts: a patch. */
export function unifiedDiff(before: NamedText, after: NamedText): string {
  return createTwoFilesPatch(
    before.name,
    after.name,
    before.text,
    after.text,
    undefined,
    undefined,
    { headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } },
  );
}
