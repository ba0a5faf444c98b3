import {
  type Connection,
  createConnection,
  DidChangeWatchedFilesNotification,
  ErrorCodes,
  PositionEncodingKind,
  ResponseError,
  type ServerCapabilities,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { FEATURES } from './features.js';
import type { Workspace, WorkspaceOptions } from './workspace.js';

/** The options of a language server. */
export interface EditorOptions extends Pick<WorkspaceOptions, 'pageOf' | 'env'> {
  readonly version: string;
}

/** Globs for files that may define mutators, or that list such files. */
const WATCHED = ['**/perturb.toml', '**/mutators.toml', '**/*.mutators.toml', '**/*.json'];

const SYNC = {
  openClose: true,
  change: TextDocumentSyncKind.Incremental,
  save: { includeText: false },
};

/**
 * Serves the Language Server Protocol over a connection, for objectives, manifests and perturb.toml. The server ends
 * with the connection, and writes only protocol messages to it. Loads the code that checks files after responding to
 * `initialize`, because editors wait for the response.
 */
export function serveEditor(connection: Connection, options: EditorOptions): void {
  /** True if the workspace is trusted. If false, the servers and patterns in the workspace's files are not used. */
  let trusted = false;
  /** True if the client can report file changes. */
  let watches = false;
  let opening: Promise<Workspace> | undefined;
  let phase: 'new' | 'running' | 'shut down' = 'new';
  const documents = new TextDocuments(TextDocument);

  const opened = (): Promise<Workspace> => {
    opening ??= import('./workspace.js').then(({ createWorkspace }) =>
      createWorkspace({ ...options, connection, documents, trusted }),
    );
    return opening;
  };
  // Messages wait in a queue until the code is loaded, which preserves their order.
  const whenOpen =
    <P>(handle: (params: P, workspace: Workspace) => void) =>
    (params: P): void => {
      if (phase !== 'running') return;
      opened()
        .then((workspace) => handle(params, workspace))
        .catch((error: unknown) => connection.console.error(String(error)));
    };

  /** Throws the protocol's error for a request before `initialize` or after `shutdown`. */
  const requireRunning = (): void => {
    if (phase === 'new') {
      throw new ResponseError(
        ErrorCodes.ServerNotInitialized,
        'the first request must be "initialize"',
      );
    }
    if (phase === 'shut down') {
      throw new ResponseError(ErrorCodes.InvalidRequest, 'only "exit" can follow "shutdown"');
    }
  };

  connection.onInitialize(({ capabilities, initializationOptions }) => {
    if (phase !== 'new') {
      throw new ResponseError(ErrorCodes.InvalidRequest, '"initialize" can be sent only once');
    }
    phase = 'running';
    trusted = initializationOptions?.trusted === true;
    watches = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      capabilities: Object.assign(
        { positionEncoding: PositionEncodingKind.UTF16, textDocumentSync: SYNC },
        ...FEATURES.map(({ capability }) => capability),
      ) as ServerCapabilities,
      serverInfo: { name: 'perturb', version: options.version },
    };
  });
  connection.onInitialized(() => {
    void opened();
    if (!watches) return;
    const watchers = WATCHED.map((globPattern) => ({ globPattern }));
    void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });
  connection.onShutdown(async () => {
    requireRunning();
    phase = 'shut down';
    (await opening)?.close();
  });
  connection.onDidChangeWatchedFiles(whenOpen((_, workspace) => workspace.renewCatalogs()));
  documents.listen({
    onDidOpenTextDocument: (handler) => connection.onDidOpenTextDocument(whenOpen(handler)),
    onDidChangeTextDocument: (handler) => connection.onDidChangeTextDocument(whenOpen(handler)),
    onDidCloseTextDocument: (handler) => connection.onDidCloseTextDocument(whenOpen(handler)),
    onDidSaveTextDocument: (handler) => connection.onDidSaveTextDocument(whenOpen(handler)),
    onWillSaveTextDocument: (handler) => connection.onWillSaveTextDocument(whenOpen(handler)),
    onWillSaveTextDocumentWaitUntil: (handler) =>
      connection.onWillSaveTextDocumentWaitUntil(handler),
  });

  for (const { method, load } of FEATURES) {
    connection.onRequest(method, async (params: never) => {
      requireRunning();
      const [workspace, answer] = await Promise.all([opened(), load()]);
      return answer(params, workspace);
    });
  }
  connection.onRequest((method) => {
    requireRunning();
    throw new ResponseError(ErrorCodes.MethodNotFound, `Unhandled method ${method}`);
  });
  connection.listen();
}

/** Serves an editor on stdin and stdout. Resolves when the editor ends the session or disconnects. */
export function serveStdio(options: EditorOptions): Promise<void> {
  const connection = createConnection(process.stdin, process.stdout);
  serveEditor(connection, options);
  return new Promise((done) => {
    connection.onExit(() => done());
    process.stdin.on('end', () => done());
    process.stdin.on('close', () => done());
    process.stdout.on('error', () => done());
  });
}
