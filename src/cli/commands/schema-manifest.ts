import type { Command } from 'commander';
import { manifestSchema } from '../../mutators/index.js';
import type { Context } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { describeSchema, printSchema } from '../schema.js';

export function configure(command: Command): void {
  describeSchema(command, 'manifest');
}

export function run({ io }: Context): ExitCode {
  return printSchema(io, manifestSchema({ title: 'Perturb manifest of mutators' }));
}
