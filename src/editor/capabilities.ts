import {
  CodeActionKind,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import type { Encoding } from './text/positions.js';
import { LEGEND } from './text/token-types.js';

/** What the server can do. */
export const CAPABILITIES: InitializeResult['capabilities'] = {
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

/** What matters of a client. */
export interface ClientTraits {
  /** Of the encodings that it offers, the one that costs least here; every client has UTF-16. */
  readonly encoding: Encoding;
  /** Whether its user trusts the files, so that servers that they name may be asked. */
  readonly trusted: boolean;
  /** Whether it tells of files that change, where it is asked to. */
  readonly watches: boolean;
}

/** What is known of a client before it says anything. */
export const UNKNOWN_CLIENT: ClientTraits = { encoding: 'utf-16', trusted: false, watches: false };

export function traitsOf({ capabilities, initializationOptions }: InitializeParams): ClientTraits {
  const offered = capabilities.general?.positionEncodings ?? [];
  const known: readonly Encoding[] = ['utf-16', 'utf-8', 'utf-32'];
  return {
    encoding: known.find((encoding) => offered.includes(encoding)) ?? 'utf-16',
    trusted: initializationOptions?.trusted !== false,
    watches: capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
  };
}
