import { version } from '../version.js';
import { type CommandModule, type ExitCode, exitCodes, type Io } from './runtime/command.js';

export const objectiveSchemaCommand = fileSchema('objective', async () => {
  const { objectiveSchema } = await import('../objective/index.js');
  return objectiveSchema({ title: 'Perturb objective' });
});

export const manifestSchemaCommand = fileSchema('manifest', async () => {
  const { manifestSchema } = await import('../mutators/index.js');
  return manifestSchema({ title: 'Perturb manifest of mutators' });
});

export const resultsSchemaCommand: CommandModule = {
  help: `
It is JSON Schema, draft-07, of what objective lint, mutators lint, expression check,
expression eval, objective measure, objective run and runs show print with
--format json.

Example:
  perturb schema results > results.schema.json
`,
  configure() {},
  async run({ io }) {
    const { resultSchema } = await import('../reporters/results/index.js');
    return printSchema(io, resultSchema('Perturb results'));
  },
};

export const apiSchemaCommand: CommandModule = {
  help: `
OpenAPI 3.1: the three endpoints that a mutator server implements.

Example:
  perturb schema api > mutator-api.json
`,
  configure() {},
  async run({ io }) {
    const { openApiDocument } = await import('../server/index.js');
    return printSchema(io, openApiDocument({ version }));
  },
};

function fileSchema(kind: string, load: () => Promise<object>): CommandModule {
  return {
    help: `
It is JSON Schema, draft-07, for editors and validators. A TOML plug-in that
reads Taplo's comments uses it for a file that begins with:
  #:schema ./${kind}.schema.json

Example:
  perturb schema ${kind} > ${kind}.schema.json
`,
    configure() {},
    run: async ({ io }) => printSchema(io, await load()),
  };
}

function printSchema({ stdout }: Io, schema: object): ExitCode {
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
  return exitCodes.ok;
}
