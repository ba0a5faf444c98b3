import stringWidth from 'string-width';
import { clip, clusters, visible } from '../../basics/index.js';
import type { Excerpt, ShownEvent } from '../../excerpt/index.js';
import type { Glyphs, ResultLook } from '../terminal/paint.js';

/** Columns are no narrower than this, so that an arrow can be seen. */
const LEAST_PITCH = 6;
const GAP = 2;

/**
 * A space-time diagram: a column for each probe, a row for each event, and an arrow for each
 * interaction in the row of the event that receives it. Labels, names and `#seq` are on the right.
 *
 * An arrow starts right below the event that sends it. Where other events of the sender come
 * between, a line there would say too much, and the row names the sender instead.
 */
export function spaceTimeText(
  { events, probes }: Excerpt,
  { width, paint, glyphs }: ResultLook,
): string {
  const pitch = pitchOf(probes, width);
  const gutter = pitch * probes.length + GAP;
  const columnOf = ({ probe }: ShownEvent) => probes.indexOf(probe);
  const lines = [
    probes
      .map((probe) => padded(clipMiddle(visible(probe), pitch - GAP, glyphs.cut), pitch))
      .join(''),
  ];
  for (const [row, event] of events.entries()) {
    if (event.gap !== undefined) {
      const { count } = event.gap;
      const note = paint.dim(
        `${count} ${count === 1 ? 'interaction is' : 'interactions are'} left out`,
      );
      lines.push(`${padded(cells(probes.length, pitch, glyphs.leftOut), gutter)}${note}`);
    }
    const drawn = event.from.filter((sender) => isLastOfItsProbe(events, sender, row)).slice(0, 1);
    const [start] = drawn.map((at) => columnOf(events[at] as ShownEvent) * pitch);
    const notes = event.from
      .filter((at) => !drawn.includes(at))
      .map((at) => events[at] as ShownEvent)
      .map(({ probe, seq }) => `from ${visible(probe)} #${seq}`);
    const line = rowOf(
      cells(probes.length, pitch, glyphs.line),
      glyphs,
      columnOf(event) * pitch,
      start,
    );
    lines.push(`${padded(line, gutter)}${textOf(event, notes, width - gutter, { paint, glyphs })}`);
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Wide enough for the names of the probes, provided that half of the width is left for texts. */
function pitchOf(probes: readonly string[], width: number): number {
  const widest = Math.max(...probes.map((probe) => stringWidth(visible(probe))), 0);
  const most = Math.floor(width / 2 / Math.max(1, probes.length));
  return Math.max(LEAST_PITCH, Math.min(widest + GAP, most));
}

/** True if nothing else of the sender's probe is shown between it and a row. */
function isLastOfItsProbe(events: readonly ShownEvent[], sender: number, row: number): boolean {
  const { probe } = events[sender] as ShownEvent;
  return !events.slice(sender + 1, row).some((other) => other.probe === probe);
}

/** Lifelines without an event. */
function cells(columns: number, pitch: number, line: string): string {
  return padded(line, pitch).repeat(columns).trimEnd();
}

/** The lifelines of a row with its event, and the arrow that leads to it from a start. */
function rowOf(lines: string, glyphs: Glyphs, event: number, start = event): string {
  const row = [...lines];
  const [from, to] = start < event ? [start, event] : [event, start];
  for (let x = from + 1; x < to; x++) {
    row[x] = row[x] === glyphs.line ? glyphs.crossing : glyphs.arrow;
  }
  if (start !== event) {
    const side = start < event ? glyphs.right : glyphs.left;
    row[start] = side.start;
    row[start < event ? event - 1 : event + 1] = side.head;
  }
  row[event] = glyphs.event;
  return row.join('');
}

function textOf(
  { labels, name, seq }: ShownEvent,
  notes: readonly string[],
  width: number,
  { paint, glyphs }: Pick<ResultLook, 'paint' | 'glyphs'>,
): string {
  const bound = labels.length === 0 ? '' : `${labels.join(', ')}: `;
  const rest = [`#${seq}`, ...notes].join(' ');
  const left = Math.max(LEAST_PITCH, width - stringWidth(bound) - stringWidth(rest) - 1);
  const text = [clip(visible(name), left, glyphs.cut, stringWidth), rest]
    .filter((part) => part !== '')
    .join(' ');
  return labels.length === 0 ? paint.dim(text) : `${paint.bold(bound)}${text}`;
}

/** Like `clip`, but keeps both ends of the text: names of probes often differ in the last characters. */
function clipMiddle(text: string, width: number, cut: string): string {
  if (stringWidth(text) <= width) return text;
  let end = '';
  for (const character of [...clusters(text)].reverse()) {
    if (stringWidth(character + end) > Math.floor((width - 1) / 2)) break;
    end = character + end;
  }
  return clip(text, width - stringWidth(end), cut, stringWidth) + end;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
