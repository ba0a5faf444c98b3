/*
 * The colours of pictures stand in their attributes, so that they are there under a content policy
 * that keeps style sheets out. Where the style sheet is let in, it has another for each in the dark.
 */

export const PAPER = '#ffffff';
export const INK = '#1f2328';
export const DIM = '#57606a';
export const RULE = '#8c959f';
export const FAINT = '#eaeef2';
export const PASSED = '#1a7f37';
export const FAILED = '#cf222e';
export const INCONCLUSIVE = '#9a6700';

/** What stands for each colour in the dark. */
export const IN_THE_DARK: Readonly<Record<string, string>> = {
  [PAPER]: '#0d1117',
  [INK]: '#e6edf3',
  [DIM]: '#9198a1',
  [RULE]: '#6e7681',
  [FAINT]: '#21262d',
  [PASSED]: '#3fb950',
  [FAILED]: '#ff7b72',
  [INCONCLUSIVE]: '#d29922',
};
