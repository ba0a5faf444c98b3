import * as Type from 'typebox';
import { type RecordOf, TEXT } from '../../records/index.js';

/** The file of a baseline. */
export const BASELINE_FILE = Type.Object({
  version: Type.Literal(1),
  /** All but the fingerprint is for people. */
  findings: Type.Array(Type.Object({ fingerprint: TEXT, rule: TEXT, file: TEXT, message: TEXT })),
});

export type BaselineFile = RecordOf<typeof BASELINE_FILE>;
