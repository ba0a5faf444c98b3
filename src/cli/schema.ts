import { Option } from 'commander';
import { rulePageUrl, version } from '../version.js';
import {
  type CommandModule,
  type ExitCode,
  exitCodes,
  type Io,
  usageFailure,
} from './runtime/command.js';

/* What an editor asks for: the schemas of files, and the language server. */

export const objectiveSchemaCommand = fileSchema('objective', async () => {
  const { objectiveSchema } = await import('../objective/index.js');
  return objectiveSchema();
});

export const manifestSchemaCommand = fileSchema('manifest', async () => {
  const { manifestSchema } = await import('../mutators/index.js');
  return manifestSchema();
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

export const languageServer: CommandModule = {
  help: `
An editor starts this. It checks objectives, manifests and perturb.toml while
they are typed, and ends when the editor does. docs/editors.md has the set-up
for each editor.

Example:
  perturb lsp --stdio
`,
  configure(command) {
    command
      .option('--stdio', 'speak the protocol on stdin and stdout')
      // The protocol has editors add it. The connection reads it, and ends with that process.
      .addOption(new Option('--clientProcessId <pid>').hideHelp());
  },
  async run({ io }, _, { stdio }: { readonly stdio?: true }) {
    if (!stdio) {
      throw usageFailure(
        'the language server speaks on stdin and stdout only',
        'Start it with --stdio.',
      );
    }
    const { serveStdio } = await import('../editor/index.js');
    await serveStdio({ version, pageOf: rulePageUrl, env: io.env });
    return exitCodes.ok;
  },
};
