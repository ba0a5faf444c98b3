/** How many columns a text takes. */
export type Measure = (text: string) => number;

/** Breaks a text at spaces into lines of at most so many columns; longer words anywhere. */
export function wrap(text: string, width: number, measure: Measure): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (measure(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = breakUp(word, width, measure);
    line = pieces.pop() ?? '';
    lines.push(...pieces);
  }
  return line === '' ? lines : [...lines, line];
}

/** Breaks a word between the characters that a reader sees. */
function breakUp(word: string, width: number, measure: Measure): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (piece !== '' && measure(piece + segment) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}
