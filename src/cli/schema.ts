import { rulePageUrl, version } from '../version.js';
import { type CommandModule, defineCommand, exitCodes, usageFailure } from './runtime/command.js';
import { option } from './runtime/declare.js';

/* The commands for editors: the schemas of files, and the language server. */

export const objectiveSchemaCommand = fileSchema('objective', async () =>
  (await import('../objective/index.js')).objectiveSchema(),
);

export const manifestSchemaCommand = fileSchema('manifest', async () =>
  (await import('../mutators/index.js')).createManifestSchema(),
);

export const resultsSchemaCommand = schemaCommand(
  `Prints a JSON Schema (draft-07) for the --format json output of objective lint,
mutators lint, expression check, expression eval, objective measure, objective run,
runs show and runs compare.`,
  'results > results.schema.json',
  async () => (await import('../reporters/results/index.js')).resultSchema('Perturb results'),
);

export const apiSchemaCommand = schemaCommand(
  'Prints an OpenAPI 3.1 document with the three endpoints of a mutator server.',
  'api > mutator-api.json',
  async () => (await import('../server/index.js')).openApiDocument({ version }),
);

function fileSchema(kind: string, load: () => Promise<object>): CommandModule {
  const about = `Prints a JSON Schema (draft-07) for editors and validators. TOML plug-ins that read
Taplo's comments use the schema for files that begin with:
  #:schema ./${kind}.schema.json`;
  return schemaCommand(about, `${kind} > ${kind}.schema.json`, load);
}

function schemaCommand(about: string, example: string, load: () => Promise<object>): CommandModule {
  return {
    help: `\n${about}\n\nExample:\n  perturb schema ${example}\n`,
    async run({ io: { stdout } }) {
      stdout.write(`${JSON.stringify(await load(), null, 2)}\n`);
      return exitCodes.ok;
    },
  };
}

export const languageServer = defineCommand({
  help: `
An editor starts this server. The server checks objectives, manifests and
perturb.toml while you type, and exits with the editor. docs/editors.md describes
the setup for each editor.

Example:
  perturb lsp --stdio
`,
  options: [
    option('--stdio', 'communicate over stdin and stdout'),
    // Editors add this flag according to the protocol. The connection parses the flag, and closes
    // when the editor's process exits.
    option('--clientProcessId <pid>', '').hideHelp(),
  ],
  async run({ io }, _args, { stdio }) {
    if (!stdio) {
      throw usageFailure(
        'the language server communicates only over stdin and stdout',
        'Start it with --stdio.',
      );
    }
    const { serveStdio } = await import('../editor/index.js');
    await serveStdio({ version, pageOf: rulePageUrl, env: io.env });
    return exitCodes.ok;
  },
});
