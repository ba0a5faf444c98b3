import type { Command } from 'commander';
import { openApiDocument } from '../../server/index.js';
import { version } from '../../version.js';
import type { Context } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { printSchema } from '../schema.js';

export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
OpenAPI 3.1: the three endpoints that a mutator server implements.

Example:
  perturb schema api > mutator-api.json
`,
  );
}

export function run({ io }: Context): ExitCode {
  return printSchema(io, openApiDocument({ version }));
}
