import { objectives } from './0001-objectives.js';
import { seals } from './0002-seals.js';
import type { Migration } from './migration.js';

export type { ColumnTypes, Migration } from './migration.js';

/** The steps in order: the first one makes version 1. A step that was released is never changed. */
export const migrations: readonly Migration[] = [objectives, seals];
