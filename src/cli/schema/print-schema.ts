import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import type { Io } from '../runtime/io.js';

/** Adds the help of a command that prints the schema of a kind of files. */
export function describeSchema(command: Command, kind: string): void {
  command.addHelpText(
    'after',
    `
It is JSON Schema, draft-07, for editors and validators. A TOML plug-in that
reads Taplo's comments uses it for a file that begins with:
  #:schema ./${kind}.schema.json

Example:
  perturb schema ${kind} > ${kind}.schema.json
`,
  );
}

/** Prints a schema. */
export function printSchema({ stdout }: Io, schema: object): ExitCode {
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return exitCodes.ok;
}
