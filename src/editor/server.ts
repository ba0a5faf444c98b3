import {
  type Connection,
  DidChangeWatchedFilesNotification,
  type InitializeResult,
  TextDocuments,
} from 'vscode-languageserver/node';
import { CAPABILITIES, type ClientTraits, traitsOf, UNKNOWN_CLIENT } from './capabilities.js';
import type { Requests } from './requests.js';
import { positionsOf, syncIn } from './text/positions.js';
import type { RulePage, Workspace } from './workspace.js';

/** What a language server is made with. */
export interface EditorOptions {
  readonly version: string;
  /** Where the page of a rule is. */
  readonly pageOf: RulePage;
  /** Holds the API keys that perturb.toml names. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What may hold mutators, or say which files do. */
const WATCHED = ['**/perturb.toml', '**/mutators.toml', '**/*.mutators.toml', '**/*.json'];

interface Opened {
  readonly workspace: Workspace;
  readonly requests: Requests;
}

/**
 * Serves the language protocol over a connection, for objectives, manifests and perturb.toml. It
 * ends with the connection, and writes nothing but answers to the client. What checks files is
 * loaded when the client has its answer to `initialize`, for editors wait for that.
 */
export function serveEditor(connection: Connection, options: EditorOptions): void {
  let client: ClientTraits = UNKNOWN_CLIENT;
  let positions = positionsOf(client.encoding);
  let opening: Promise<Opened> | undefined;
  const documents = new TextDocuments(syncIn(() => positions));

  const open = async (): Promise<Opened> => {
    const [{ createWorkspace }, { createRequests }] = await Promise.all([
      import('./workspace.js'),
      import('./requests.js'),
    ]);
    const { trusted } = client;
    const workspace = createWorkspace({ ...options, connection, documents, positions, trusted });
    return { workspace, requests: createRequests(workspace) };
  };
  const opened = (): Promise<Opened> => {
    opening ??= open();
    return opening;
  };
  // While it is loaded messages wait for it one behind another, and so stay in their order.
  const hear =
    <P>(handle: (params: P, opened: Opened) => void) =>
    (params: P): void => {
      opened()
        .then((one) => handle(params, one))
        .catch((error: unknown) => connection.console.error(String(error)));
    };
  const answer =
    <Name extends keyof Requests>(name: Name) =>
    async (params: Parameters<Requests[Name]>[0]) => {
      const { requests } = await opened();
      return requests[name](params as never) as ReturnType<Requests[Name]>;
    };

  connection.onInitialize((params): InitializeResult => {
    client = traitsOf(params);
    positions = positionsOf(client.encoding);
    return {
      capabilities: { ...CAPABILITIES, positionEncoding: client.encoding },
      serverInfo: { name: 'perturb', version: options.version },
    };
  });
  connection.onInitialized(() => {
    void opened();
    if (!client.watches) return;
    const watchers = WATCHED.map((globPattern) => ({ globPattern }));
    void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });
  connection.onShutdown(async () => (await opening)?.workspace.close());
  connection.onDidChangeWatchedFiles(hear((_, { workspace }) => workspace.renewCatalogs()));
  documents.listen({
    onDidOpenTextDocument: (handler) => connection.onDidOpenTextDocument(hear(handler)),
    onDidChangeTextDocument: (handler) => connection.onDidChangeTextDocument(hear(handler)),
    onDidCloseTextDocument: (handler) => connection.onDidCloseTextDocument(hear(handler)),
    onDidSaveTextDocument: (handler) => connection.onDidSaveTextDocument(hear(handler)),
    onWillSaveTextDocument: (handler) => connection.onWillSaveTextDocument(hear(handler)),
    onWillSaveTextDocumentWaitUntil: (handler) =>
      connection.onWillSaveTextDocumentWaitUntil(handler),
  });

  connection.onHover(answer('hover'));
  connection.onCompletion(answer('completion'));
  connection.onDefinition(answer('definition'));
  connection.onReferences(answer('references'));
  connection.onDocumentHighlight(answer('highlights'));
  connection.onPrepareRename(answer('prepareRename'));
  connection.onRenameRequest(answer('rename'));
  connection.onCodeAction(answer('codeActions'));
  connection.onDocumentSymbol(answer('symbols'));
  connection.onFoldingRanges(answer('foldingRanges'));
  connection.onDocumentFormatting(answer('formatting'));
  connection.onSelectionRanges(answer('selectionRanges'));
  connection.languages.semanticTokens.on(answer('tokens'));
  connection.languages.semanticTokens.onRange(answer('tokensIn'));
  connection.listen();
}
