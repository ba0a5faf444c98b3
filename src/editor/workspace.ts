import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Connection, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { configRules } from '../config/index.js';
import type { RuleMeta } from '../diagnostics/index.js';
import { manifestRules } from '../mutators/index.js';
import { rules as objectiveRules } from '../objective/index.js';
import { decodeSource } from '../source/index.js';
import { readToml, type TomlDocument } from '../toml/index.js';
import { createCatalogs } from './catalogs.js';
import type { ProjectFile } from './features/code-actions.js';
import { diagnosticsOf, type RulePage } from './features/diagnostics.js';
import type { MutatorFiles } from './features/mutators.js';
import { type Project, projectOf } from './project.js';
import { type Snapshot, takeSnapshot } from './snapshot.js';
import { kindOf } from './text/document-kind.js';
import type { Positions } from './text/positions.js';
import type { View } from './view.js';

/** What a workspace is made with. */
export interface WorkspaceOptions {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly positions: Positions;
  readonly pageOf: RulePage;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether servers that files name may be asked. */
  readonly trusted: boolean;
}

/** The open documents, and all that is known of them. */
export interface Workspace extends MutatorFiles {
  /** A document as it is now; undefined for one that is none of ours. */
  view(uri: string): View | undefined;
  /** The perturb.toml of a document's project, as it stands in the editor or else on disk. */
  projectFile(uri: string): ProjectFile;
  /** Loads mutators anew where they may have changed. */
  renewCatalogs(): void;
  close(): void;
}

interface Checked {
  readonly snapshot: Snapshot;
  readonly project: Project;
}

/** Every rule there is, which perturb.toml may name. */
const rules: readonly RuleMeta[] = [...objectiveRules, ...manifestRules, ...configRules];

/** Checks documents as they are opened and edited, and sends their findings to the client. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { connection, documents, positions, pageOf } = options;
  const checked = new Map<string, Checked>();
  const catalogs = createCatalogs({
    env: options.env,
    trusted: options.trusted,
    onChange: () => checkAll(),
    onWarning: (warning) => connection.console.warn(warning),
  });

  const view = (uri: string): View | undefined => {
    const known = checked.get(uri);
    if (known === undefined) return undefined;
    const { catalog } = catalogs.of(known.project);
    const { snapshot } = known;
    return { uri, snapshot, positions, rules, ...(catalog && { catalog }) };
  };

  const check = (document: TextDocument): void => {
    const { uri, version } = document;
    const text = document.getText();
    const path = pathOf(uri);
    const before = checked.get(uri)?.snapshot;
    const kind = kindOf(path, text) ?? before?.kind;
    if (kind === undefined) return;
    const project = projectOf(path, rules);
    const { catalog } = catalogs.of(project);
    const surroundings = { settings: project.settings, rules, ...(catalog && { catalog }) };
    const snapshot = takeSnapshot(kind, path, text, surroundings, before);
    checked.set(uri, { snapshot, project });
    const diagnostics = diagnosticsOf({ uri, snapshot, positions, rules }, pageOf);
    void connection.sendDiagnostics({ uri, version, diagnostics });
  };

  const checkAll = (): void => {
    for (const document of documents.all()) check(document);
  };

  documents.onDidChangeContent(({ document }) => check(document));
  documents.onDidSave(({ document: { uri } }) => {
    const kind = checked.get(uri)?.snapshot.kind;
    if (kind === 'config') checkAll();
    if (kind === 'manifest') catalogs.renew();
  });
  documents.onDidClose(({ document: { uri } }) => {
    checked.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });

  return {
    view,
    views: () => [...checked.keys()].flatMap((uri) => view(uri) ?? []),
    documentAt(path) {
      const open = checked.get(pathToFileURL(path).href)?.snapshot;
      return open === undefined ? readDocument(path) : open.document;
    },
    projectFile(uri) {
      const project = projectOf(pathOf(uri), rules);
      const its = pathToFileURL(project.path).href;
      const text = documents.get(its)?.getText() ?? project.text;
      return { uri: its, ...(text !== undefined && { text }) };
    },
    renewCatalogs() {
      checkAll();
      catalogs.renew();
    },
    close: () => catalogs.close(),
  };
}

function pathOf(uri: string): string {
  return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
}

function readDocument(path: string): TomlDocument | undefined {
  try {
    return readToml(decodeSource(path, readFileSync(path))).document;
  } catch {
    return undefined;
  }
}
