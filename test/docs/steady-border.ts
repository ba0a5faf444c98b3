/** A text in which the border of a fault has steady values: where it lies depends on how busy the machine is. */
export function withSteadyBorder(text: string): string {
  return text
    .replace(
      /^(From )\d+( ms of warehouse delay on, "[^"]+" fails)(?: \(\d of \d times\))?(; at worst, handled came) .* for id \d/m,
      '$11020$2$3 twice for id 1',
    )
    .replace(
      /^(It fails with \S+ value=)\d+ \(\d of \d times\)\.\n(\S+ value) .*\.$/m,
      (_, begin, title) =>
        `${begin}1031 (5 of 5 times).\n${title} begins to fail between 960 and 1020 (97 %); it never failed from 0 to 937, in 11 attempts.`,
    );
}
