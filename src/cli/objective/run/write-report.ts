import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { attemptsToShow, runReport } from '../../../report/index.js';
import { attemptFiles, endText, type RunState, type Space } from '../../../runner/index.js';
import { readSession, type Session } from '../../../session/index.js';
import { writeReportFile } from '../../files/write-file.js';
import { timeText } from './summary.js';

/** Where a report is made from and goes to. */
export interface ReportPlaces {
  readonly cwd: string;
  /** As the user wrote it. */
  readonly file: string;
  /** The directory of the run. */
  readonly out: string;
}

/** Writes the report of a run. @throws Failure (usage) when the file cannot be written */
export async function writeReport(
  state: RunState,
  space: Space,
  { cwd, file, out }: ReportPlaces,
): Promise<void> {
  const sessions = new Map<number, Session>();
  for (const { n } of attemptsToShow(state).values()) {
    const path = attemptFiles(join(out, 'attempts'), n).session;
    if (!existsSync(path)) continue;
    const { session } = await readSession(createReadStream(path), {
      format: 'session',
      tolerant: true,
    });
    if (session !== undefined) sessions.set(n, session);
  }
  const ended = state.end === undefined ? 'not yet' : endText(state.end);
  const text = runReport({ state, space, sessions, ended, time: timeText(state) });
  writeReportFile(cwd, file, text);
}
