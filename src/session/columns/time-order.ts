import { at, itemAt } from '../../source/index.js';
import { defined } from '../../values/index.js';
import type { Problems } from '../problem.js';
import type { EventTable } from './event-table.js';

/** If a smaller share of events is earlier than those before, a clock or several threads may be the cause. */
const MANY = 1 / 4;

/** What the times say of the events of a file on timelines without `seq`. */
interface FileTimes {
  earliest: number;
  latest: number;
  /** How many are earlier, and how many later, than the event before them on their timeline. */
  back: number;
  forward: number;
  /** The last file before this one with events of the same timeline; -1 for none. */
  after: number;
}

/**
 * Notes where the order of events can hardly be that of the system, because their times contradict the order of
 * the lines of a file, or that of the files.
 *
 * @param lineOf for each event, its timeline
 * @param seqs for each timeline, how many of its events have a `seq`, which gives their order
 */
export function noteContraryTimes(
  { files, fileNames, turned, time }: EventTable,
  lineOf: Int32Array,
  seqs: Int32Array,
  problems: Problems,
): void {
  const last = new Float64Array(seqs.length);
  const lastFile = new Int32Array(seqs.length).fill(-1);
  const all = files.map(
    (): FileTimes => ({
      ...{ earliest: Number.POSITIVE_INFINITY, latest: Number.NEGATIVE_INFINITY },
      ...{ back: 0, forward: 0, after: -1 },
    }),
  );
  let file = 0;
  time.forEach((event, _kind, moment) => {
    while (event >= (files[file + 1] as number)) file++;
    const own = all[file] as FileTimes;
    const line = at(lineOf, event);
    // What is added after all files, from spans, has an order of its own.
    if (at(seqs, line) > 0 || file === files.length - 1) return;
    if (at(lastFile, line) !== file) own.after = Math.max(own.after, at(lastFile, line));
    else if (moment < itemAt(last, line)) own.back++;
    else if (moment > itemAt(last, line)) own.forward++;
    last[line] = moment;
    lastFile[line] = file;
    own.earliest = Math.min(own.earliest, moment);
    own.latest = Math.max(own.latest, moment);
  });
  for (const [file, { back, forward, latest, after }] of all.entries()) {
    const note = (message: string) =>
      problems.notes.push({ ...defined({ file: fileNames[file] }), message });
    if (turned.has(file)) {
      note('its lines are newest first, so its events are taken from the last line to the first');
    } else if (back > 0 && back >= MANY * (back + forward)) {
      const steps = `${back} of ${back + forward} steps from one event to the next`;
      note(
        `${steps} go back in time, but events keep the order of their lines: sort the lines by time, the oldest first, or give the events a seq`,
      );
    }
    if (latest < (all[after]?.earliest ?? latest)) {
      note(`older than ${fileNames[after]}, whose events come first: name the oldest file first`);
    }
  }
}
