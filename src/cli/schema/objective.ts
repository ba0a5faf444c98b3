import type { Command } from 'commander';
import { objectiveSchema } from '../../objective/index.js';
import type { Context } from '../runtime/command.js';
import type { ExitCode } from '../runtime/exit-codes.js';
import { describeSchema, printSchema } from './print-schema.js';

export function configure(command: Command): void {
  describeSchema(command, 'objective');
}

export function run({ io }: Context): ExitCode {
  return printSchema(io, objectiveSchema({ title: 'Perturb objective' }));
}
