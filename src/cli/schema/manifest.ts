import type { Command } from 'commander';
import { manifestSchema } from '../../mutators/index.js';
import type { Context } from '../runtime/command.js';
import type { ExitCode } from '../runtime/exit-codes.js';
import { describeSchema, printSchema } from './print-schema.js';

export function configure(command: Command): void {
  describeSchema(command, 'manifest');
}

export function run({ io }: Context): ExitCode {
  return printSchema(io, manifestSchema({ title: 'Perturb manifest of mutators' }));
}
