import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  CodeActionKind,
  type Connection,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  PositionEncodingKind,
  ResponseError,
  type TextDocumentIdentifier,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { RuleMeta } from '../diagnostics/index.js';
import { codeActionsAt, fixAll } from './features/code-actions.js';
import { completionsAt } from './features/completion.js';
import { diagnosticsOf, type RulePage } from './features/diagnostics.js';
import { hoverAt } from './features/hover.js';
import {
  definitionAt,
  highlightsAt,
  RenameError,
  referencesAt,
  renameAt,
  renameableAt,
} from './features/labels.js';
import { LEGEND, semanticTokensOf } from './features/semantic-tokens.js';
import {
  foldingRangesOf,
  formattingOf,
  selectionRangeAt,
  symbolsOf,
} from './features/structure.js';
import { loadProjectCatalog, type Project, type ProjectCatalog, projectOf } from './project.js';
import { type Snapshot, takeSnapshot } from './snapshot.js';
import { kindOf } from './text/document-kind.js';
import { type Encoding, type Positions, positionsOf } from './text/positions.js';
import { syncIn } from './text/sync.js';
import type { View } from './view.js';

/** What a language server is made with. */
export interface EditorOptions {
  readonly version: string;
  /** Every rule there is, which perturb.toml may name. */
  readonly rules: readonly RuleMeta[];
  /** Where the page of a rule is. */
  readonly pageOf: RulePage;
  /** Holds the API keys that perturb.toml names. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Serves the language protocol over a connection, for objectives, manifests and perturb.toml. It
 * ends with the connection, and writes nothing but answers to the client.
 */
export function serveEditor(connection: Connection, options: EditorOptions): void {
  let positions: Positions = positionsOf('utf-16');
  const documents = new TextDocuments(syncIn(() => positions));
  const snapshots = new Map<string, Snapshot>();
  const catalogs = new Map<string, ProjectCatalog>();
  let trusted = true;
  let watches = false;

  connection.onInitialize((params): InitializeResult => {
    const encoding = encodingFor(params);
    positions = positionsOf(encoding);
    trusted = params.initializationOptions?.trusted !== false;
    watches = params.capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    return {
      capabilities: { ...CAPABILITIES, positionEncoding: encoding },
      serverInfo: { name: 'perturb', version: options.version },
    };
  });

  connection.onInitialized(() => {
    if (!watches) return;
    const watchers = ['perturb.toml', 'mutators.toml', '*.mutators.toml', '*.json'].map((name) => ({
      globPattern: `**/${name}`,
    }));
    void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });

  /** Checks a document anew; its findings go to the client. */
  const check = (document: TextDocument): void => {
    const { uri, version } = document;
    const text = document.getText();
    const path = pathOf(uri);
    const kind = kindOf(path, text) ?? snapshots.get(uri)?.kind;
    if (kind === undefined) return;
    const project = projectOf(path, options.rules);
    const { catalog } = catalogOf(project);
    const surroundings = {
      settings: project.settings,
      rules: options.rules,
      ...(catalog && { catalog }),
    };
    const snapshot = takeSnapshot(kind, path, text, surroundings, snapshots.get(uri));
    snapshots.set(uri, snapshot);
    const view: View = { uri, snapshot, positions, rules: options.rules };
    void connection.sendDiagnostics({
      uri,
      version,
      diagnostics: diagnosticsOf(view, options.pageOf),
    });
  };

  const checkAll = (): void => {
    for (const document of documents.all()) check(document);
  };

  /** The mutators that are known of a project now; they are loaded when they are first asked for. */
  const catalogOf = (project: Project): ProjectCatalog => {
    const known = catalogs.get(project.path);
    if (known !== undefined) return known;
    const nothing = { warnings: [] };
    catalogs.set(project.path, nothing);
    if (project.settings.mutators.length > 0) {
      void loadProjectCatalog(project, options.env, trusted).then((loaded) => {
        if (catalogs.get(project.path) !== nothing) return;
        catalogs.set(project.path, loaded);
        for (const warning of loaded.warnings) connection.console.warn(warning);
        checkAll();
      });
    }
    return nothing;
  };

  const forgetCatalogs = (): void => {
    catalogs.clear();
    checkAll();
  };

  documents.onDidChangeContent(({ document }) => check(document));
  documents.onDidSave(({ document }) => {
    if (snapshots.get(document.uri)?.kind !== 'objective') forgetCatalogs();
  });
  documents.onDidClose(({ document: { uri } }) => {
    snapshots.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onDidChangeWatchedFiles(forgetCatalogs);

  /** Answers with what a feature finds in a document; nothing for one that is none of ours. */
  const view = ({ uri }: TextDocumentIdentifier): View | undefined => {
    const snapshot = snapshots.get(uri);
    if (snapshot === undefined) return undefined;
    const { catalog } = catalogOf(projectOf(pathOf(uri), options.rules));
    return { uri, snapshot, positions, rules: options.rules, ...(catalog && { catalog }) };
  };
  const at = <T>(
    { textDocument, position }: TextDocumentPositionParams,
    answer: (view: View, offset: number) => T,
  ): T | null => {
    const seen = view(textDocument);
    if (seen === undefined) return null;
    return answer(seen, positions.toOffset(seen.snapshot.file, position)) ?? null;
  };
  const of = <T>(textDocument: TextDocumentIdentifier, answer: (view: View) => T): T | null => {
    const seen = view(textDocument);
    return seen === undefined ? null : answer(seen);
  };

  connection.onHover((params) => at(params, hoverAt));
  connection.onCompletion((params) => at(params, completionsAt));
  connection.onDefinition((params) => at(params, definitionAt));
  connection.onReferences((params) =>
    at(params, (seen, offset) => referencesAt(seen, offset, params.context.includeDeclaration)),
  );
  connection.onDocumentHighlight((params) => at(params, highlightsAt));
  connection.onPrepareRename((params) => at(params, renameableAt));
  connection.onRenameRequest((params) =>
    at(params, (seen, offset) => {
      try {
        return { changes: { [seen.uri]: renameAt(seen, offset, params.newName) } };
      } catch (error) {
        if (!(error instanceof RenameError)) throw error;
        throw new ResponseError(LSPErrorCodes.RequestFailed, error.message);
      }
    }),
  );
  connection.onCodeAction(({ textDocument, range, context }) =>
    of(textDocument, (seen) => {
      const wanted = (kind: string): boolean =>
        context.only === undefined ||
        context.only.some((only) => kind === only || kind.startsWith(`${only}.`));
      const { file } = seen.snapshot;
      const span = positions.toSpan(file, range);
      const project = projectOf(pathOf(seen.uri), options.rules);
      const uri = pathToFileURL(project.path).href;
      const open = documents.get(uri)?.getText() ?? project.text;
      const actions = codeActionsAt(seen, span, { uri, ...(open !== undefined && { text: open }) });
      return [...actions, ...fixAll(seen)].filter(({ kind }) => wanted(kind ?? ''));
    }),
  );
  connection.onDocumentSymbol(({ textDocument }) => of(textDocument, symbolsOf));
  connection.onFoldingRanges(({ textDocument }) => of(textDocument, foldingRangesOf));
  connection.onDocumentFormatting(({ textDocument }) => of(textDocument, formattingOf));
  connection.onSelectionRanges(({ textDocument, positions: places }) =>
    of(textDocument, (seen) =>
      places.map((place) => selectionRangeAt(seen, positions.toOffset(seen.snapshot.file, place))),
    ),
  );
  connection.languages.semanticTokens.on(
    ({ textDocument }) => of(textDocument, (seen) => semanticTokensOf(seen)) ?? { data: [] },
  );
  connection.languages.semanticTokens.onRange(
    ({ textDocument, range }) =>
      of(textDocument, (seen) =>
        semanticTokensOf(seen, positions.toSpan(seen.snapshot.file, range)),
      ) ?? { data: [] },
  );

  documents.listen(connection);
  connection.listen();
}

const CAPABILITIES: InitializeResult['capabilities'] = {
  textDocumentSync: {
    openClose: true,
    change: TextDocumentSyncKind.Incremental,
    save: { includeText: false },
  },
  hoverProvider: true,
  completionProvider: { triggerCharacters: ['.', '"', "'", '(', '[', '@', '>', ' '] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  codeActionProvider: {
    codeActionKinds: [CodeActionKind.QuickFix, `${CodeActionKind.SourceFixAll}.perturb`],
  },
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  documentFormattingProvider: true,
  semanticTokensProvider: { legend: LEGEND, full: true, range: true },
};

/** Of the encodings that a client offers, the one that costs least here; UTF-16 is every client's. */
function encodingFor({ capabilities }: InitializeParams): Encoding {
  const offered = capabilities.general?.positionEncodings ?? [PositionEncodingKind.UTF16];
  const known: readonly Encoding[] = ['utf-16', 'utf-8', 'utf-32'];
  return known.find((encoding) => offered.includes(encoding)) ?? 'utf-16';
}

function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : decodeURIComponent(uri);
}
