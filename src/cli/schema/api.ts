import type { Command } from 'commander';
import { version } from '../../version.js';
import type { Context } from '../runtime/command.js';
import type { ExitCode } from '../runtime/exit-codes.js';
import { printSchema } from './print-schema.js';

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

export async function run({ io }: Context): Promise<ExitCode> {
  const { openApiDocument } = await import('../../server/index.js');
  return printSchema(io, openApiDocument({ version }));
}
