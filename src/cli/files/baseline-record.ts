import * as Type from 'typebox';
import { type RecordOf, TEXT } from '../../records/index.js';

/** The format of a baseline file. */
export const BASELINE_FILE = Type.Object({
  version: Type.Literal(1),
  /** Only the fingerprint is compared. The other members are for the user. */
  findings: Type.Array(Type.Object({ fingerprint: TEXT, rule: TEXT, file: TEXT, message: TEXT })),
});

export type BaselineFile = RecordOf<typeof BASELINE_FILE>;
