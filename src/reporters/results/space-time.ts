import stringWidth from 'string-width';
import { clip, clusters, visible } from '../../basics/index.js';
import type { Excerpt, ShownEvent } from '../../excerpt/index.js';
import { gapText, sinceText } from '../../results/index.js';
import type { Glyphs, ResultLook } from '../terminal/paint.js';

/** Minimum column width, with room for an arrow. */
const LEAST_PITCH = 6;
const GAP = 2;
/** Factor by which a gap must exceed the median gap to get its own row. */
const BREAK = 10;

/**
 * Draws a space-time diagram, with a column for each probe and a row for each event. Each
 * interaction is an arrow in the receiving event's row. Labels, names and `#seq` are on the right.
 *
 * An arrow starts directly below the sending event. If the sender's probe has other events in
 * between, the row names the sender instead.
 *
 * If the events have times in ascending order, each row begins with the time since the first event.
 * An exceptionally long gap gets a row without an event.
 */
export function spaceTimeText(
  { events, probes }: Excerpt,
  { width, paint, glyphs }: ResultLook,
): string {
  const times = timesOf(events);
  const widest = Math.max(0, ...(times ?? []).map(({ text }) => text.length));
  const axis = widest === 0 ? 0 : widest + GAP;
  const pitch = pitchOf(probes, width);
  const gutter = pitch * probes.length + GAP;
  const columnOf = ({ probe }: ShownEvent) => probes.indexOf(probe);
  const names = probes
    .map((probe) => padEnd(clipMiddle(visible(probe), pitch - GAP, glyphs.cut), pitch))
    .join('');
  const lines = [`${' '.repeat(axis)}${names}`];
  const broken = (note: string) =>
    `${' '.repeat(axis)}${padEnd(cells(probes.length, pitch, glyphs.leftOut), gutter)}${paint.dim(note)}`;
  for (const [row, event] of events.entries()) {
    const time = times?.[row];
    if (time?.gap !== undefined) lines.push(broken(`${gapText(time.gap)} later`));
    if (event.gap !== undefined) {
      const { count } = event.gap;
      const what = count === 1 ? 'interaction is' : 'interactions are';
      lines.push(broken(`${count} ${what} left out`));
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
    const at =
      time === undefined ? '' : `${paint.dim(time.text.padStart(widest))}${' '.repeat(GAP)}`;
    const text = textOf(event, notes, width - axis - gutter, { paint, glyphs });
    lines.push(`${at}${padEnd(line, gutter)}${text}`);
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

interface RowTime {
  /** The time since the first event. */
  readonly text: string;
  /** The time since the previous row, in nanoseconds, if it is exceptionally long. */
  readonly gap: bigint | undefined;
}

/**
 * Returns the times of the rows. Returns undefined if an event has no time, or if the times are not
 * ascending or are all equal.
 */
function timesOf(events: readonly ShownEvent[]): readonly RowTime[] | undefined {
  const times = events.flatMap(({ time }) => time ?? []);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || times.length < events.length || first === last) return undefined;
  const gaps = times.map((time, at) => time - (times[at - 1] ?? time));
  if (gaps.some((gap) => gap < 0n)) return undefined;
  const usual = gaps.filter((gap) => gap > 0n).sort((a, b) => Number(a - b));
  const longest = BigInt(BREAK) * (usual[Math.floor(usual.length / 2)] ?? 0n);
  return times.map((time, at) => {
    const gap = gaps[at] as bigint;
    return { text: sinceText(time - first), gap: gap >= longest ? gap : undefined };
  });
}

/**
 * Returns a column's width. Fits the probes' names, but limits all columns together to half of the
 * total width, unless they would become narrower than `LEAST_PITCH`.
 */
function pitchOf(probes: readonly string[], width: number): number {
  const widest = Math.max(...probes.map((probe) => stringWidth(visible(probe))), 0);
  const most = Math.floor(width / 2 / Math.max(1, probes.length));
  return Math.max(LEAST_PITCH, Math.min(widest + GAP, most));
}

/** True if the diagram shows no other event of the sender's probe between the sender and a row. */
function isLastOfItsProbe(events: readonly ShownEvent[], sender: number, row: number): boolean {
  const { probe } = events[sender] as ShownEvent;
  return !events.slice(sender + 1, row).some((other) => other.probe === probe);
}

/** Draws a row of lifelines without an event. */
function cells(columns: number, pitch: number, line: string): string {
  return padEnd(line, pitch).repeat(columns).trimEnd();
}

/** Draws an event on a row of lifelines, with an arrow from the sender's column. */
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

/** Clips the middle of a text, because probe names often differ only at the end. */
function clipMiddle(text: string, width: number, cut: string): string {
  if (stringWidth(text) <= width) return text;
  let end = '';
  for (const character of [...clusters(text)].reverse()) {
    if (stringWidth(character + end) > Math.floor((width - 1) / 2)) break;
    end = character + end;
  }
  return clip(text, width - stringWidth(end), cut, stringWidth) + end;
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}
