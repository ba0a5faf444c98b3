import { resolve } from 'node:path';
import { commands, type ExtensionContext, workspace } from 'vscode';
import { LanguageClient, type ServerOptions, TransportKind } from 'vscode-languageclient/node';

/** The text of these is sent to the server, which knows by name and content which are its own. */
const DOCUMENTS = ['file', 'untitled'].map((scheme) => ({ scheme, language: 'toml' }));

let client: LanguageClient | undefined;

/** Starts the language server; again when what it was started with changes. */
export async function activate(context: ExtensionContext): Promise<void> {
  const restart = async (): Promise<void> => {
    await client?.dispose();
    client = createClient(context);
    await client.start();
  };
  context.subscriptions.push(
    commands.registerCommand('perturb.restart', restart),
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('perturb.server')) void restart();
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
}

function createClient(context: ExtensionContext): LanguageClient {
  return new LanguageClient('perturb', 'Perturb', serverOf(context), {
    documentSelector: DOCUMENTS,
    initializationOptions: { trusted: workspace.isTrusted },
  });
}

/** The program that the settings name, which VS Code withholds in an untrusted workspace, or our own. */
function serverOf(context: ExtensionContext): ServerOptions {
  const path = workspace.getConfiguration('perturb').get('server.path', '').trim();
  if (path === '') {
    const module = context.asAbsolutePath('server/bin.cjs');
    return { module, args: ['lsp'], transport: TransportKind.stdio };
  }
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const command = /[\\/]/.test(path) ? resolve(folder, path) : path;
  // On Windows, npm installs programs as shell scripts.
  const shell = process.platform === 'win32';
  return { command, args: ['lsp'], options: { shell }, transport: TransportKind.stdio };
}
