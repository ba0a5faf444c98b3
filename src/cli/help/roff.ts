/* The little of roff's man macros that a manual page needs. Texts are plain; each part ends its last line. */

/** A section: a title, and its parts. */
export function section(title: string, ...parts: readonly string[]): string {
  return `.SH ${title}\n${begun(parts)}`;
}

/** A part of a section, with a title in the words of the user. */
export function subsection(title: string, ...parts: readonly string[]): string {
  return `.SS ${escaped(title)}\n${begun(parts)}`;
}

/** The parts; a title begins a paragraph by itself. */
function begun(parts: readonly string[]): string {
  return parts.join('').replace(/^\.PP\n/, '');
}

/** Text that is filled into lines, where lines that begin with two spaces stay as they are. */
export function paragraph(text: string): string {
  const runs = text
    .trimEnd()
    .split(/\n(?= {2})|(?<=^ {2}.*)\n(?! {2})/m)
    .map((run) => (run.startsWith('  ') ? literal(run) : lines(run)));
  return `.PP\n${runs.join('')}`;
}

/** Lines that stay as they are. */
export function literal(text: string): string {
  return `.RS 4\n.nf\n${lines(text.replace(/^\n+|\n+$/g, '').replace(/^ {2}/gm, ''))}.fi\n.RE\n`;
}

/** A term, which is roff already, and what it means. */
export function tagged(term: string, text: string): string {
  return `.TP\n${term}\n${lines(text)}`;
}

/** Text as bold letters. */
export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Text as slanted or underlined letters, for what the user replaces. */
export function variable(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

const glyphs: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text whose characters roff shows as they are, so that they can be copied from the page. */
export function escaped(text: string): string {
  return text.replace(/[-\\'"`^~]/g, (character) => glyphs[character] as string);
}

/** Lines of text: none is taken for a request of roff. */
function lines(text: string): string {
  return `${escaped(text).replace(/^\./gm, '\\&.')}\n`;
}
