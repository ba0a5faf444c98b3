import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  type TextDocuments,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { configRules } from '../config/index.js';
import type { RuleMeta } from '../diagnostics/index.js';
import { readInput } from '../durable/index.js';
import { manifestRules } from '../mutators/index.js';
import { rules as objectiveRules } from '../objective/index.js';
import { decodeSource } from '../source/index.js';
import { readToml, type TomlDocument } from '../toml/index.js';
import { defined } from '../values/index.js';
import { createCatalogs } from './catalogs.js';
import { createProjects, type Project } from './project.js';
import { createRecordings } from './recordings.js';
import { kindOf, type Snapshot, takeSnapshot } from './snapshot.js';
import type { DocumentKind } from './toml-element.js';
import { type Documents, rangeOf, type View } from './view.js';

/** The options of a workspace. */
export interface WorkspaceOptions {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly pageOf: RulePage;
  /** The environment variables, including the API keys named in perturb.toml. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the files' servers and patterns may be used. */
  readonly trusted: boolean;
}

/** The open documents, with their findings and other derived data. */
export interface Workspace extends Documents {
  /** Reloads mutators and recordings, which may have changed. */
  renewCatalogs(): void;
  close(): void;
}

interface Checked {
  readonly snapshot: Snapshot;
  readonly project: Project;
  /** The text for checking dependent documents. */
  readonly usable: string;
}

/** All rules that perturb.toml may configure. */
const rules: readonly RuleMeta[] = [...objectiveRules, ...manifestRules, ...configRules];

/** Checks documents as they are opened and edited, and sends their findings to the client. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { connection, documents, pageOf } = options;
  const checked = new Map<string, Checked>();
  const openAt = (path: string): TextDocument | undefined =>
    documents.all().find(({ uri }) => pathOf(uri) === path);
  const openTextOf = (path: string): string | undefined => {
    const open = openAt(path);
    return open && (checked.get(open.uri)?.usable ?? open.getText());
  };
  const projectOf = createProjects(rules, openTextOf, (warning) =>
    connection.window.showWarningMessage(warning),
  );
  const catalogs = createCatalogs({
    env: options.env,
    trusted: options.trusted,
    openTextOf,
    onChange: () => checkAll(),
    onWarning: (warning) => connection.console.warn(warning),
  });
  const recordings = createRecordings({
    env: options.env,
    trusted: options.trusted,
    onChange: () => checkAll(),
    onWarning: (warning) => connection.console.warn(warning),
  });

  const view = (uri: string): View | undefined => {
    const entry = checked.get(uri);
    if (entry === undefined) return undefined;
    const { snapshot, project } = entry;
    const { catalog } = catalogs.known(project.path);
    const recorded = recordings.known(project.path);
    return { uri, snapshot, rules, ...defined({ catalog, recorded }) };
  };

  const check = (document: TextDocument): void => {
    const { uri, version } = document;
    const text = document.getText();
    const path = pathOf(uri);
    const before = checked.get(uri);
    const kind = kindOf(path, text) ?? before?.snapshot.kind;
    if (kind === undefined) return;
    const project = projectOf(path);
    const { catalog } = catalogs.of(project);
    const context = defined({ catalog, recorded: recordings.of(project) });
    const surroundings = { settings: project.settings, rules, ...context };
    const snapshot = takeSnapshot(kind, path, text, surroundings, before?.snapshot);
    checked.set(uri, { snapshot, project, usable: usableText(snapshot, before?.usable) });
    const diagnostics = diagnosticsOf({ uri, snapshot, rules }, pageOf);
    void connection.sendDiagnostics({ uri, version, diagnostics });
  };

  const checkAll = (): void => {
    for (const document of documents.all()) check(document);
  };

  /** Updates the documents that depend on an open document. */
  const spread = (uri: string, kind: DocumentKind | undefined): void => {
    if (kind === 'config') checkAll();
    else if (kind !== 'objective') catalogs.renewFile(pathOf(uri));
  };

  documents.onDidChangeContent(({ document }) => {
    const { uri } = document;
    const before = checked.get(uri)?.usable;
    check(document);
    const now = checked.get(uri);
    if (now === undefined || now.usable !== before) spread(uri, now?.snapshot.kind);
  });
  documents.onDidSave(({ document: { uri } }) => {
    const kind = checked.get(uri)?.snapshot.kind;
    if (kind === 'config') checkAll();
    if (kind === 'manifest') catalogs.renew();
  });
  documents.onDidClose(({ document: { uri } }) => {
    const kind = checked.get(uri)?.snapshot.kind;
    checked.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
    // Unsaved changes are discarded.
    spread(uri, kind);
  });

  return {
    view,
    views: () => [...checked.keys()].flatMap((uri) => view(uri) ?? []),
    documentAt(path) {
      const open = checked.get(openAt(path)?.uri ?? '')?.snapshot;
      return open === undefined ? readDocument(path) : open.document;
    },
    projectFile(uri) {
      const project = projectOf(pathOf(uri));
      const open = openAt(project.path);
      const text = open?.getText() ?? project.text;
      const fileUri = open?.uri ?? pathToFileURL(project.path).href;
      return { uri: fileUri, ...(text !== undefined && { text }) };
    },
    renewCatalogs() {
      checkAll();
      catalogs.renew();
      recordings.renew();
    },
    close() {
      catalogs.close();
      recordings.close();
    },
  };
}

/**
 * Returns the text for checking other documents: a perturb.toml's parsed part, or the last manifest version without
 * errors. Other documents thus keep their findings while the file is incomplete.
 *
 * @param before the usable text before the edit, if there was one
 */
function usableText({ kind, file, document, findings }: Snapshot, before = file.text): string {
  if (kind === 'config') return document?.file.text ?? before;
  const isBroken = findings.some(({ severity }) => severity === 'error');
  return kind === 'manifest' && isBroken ? before : file.text;
}

/** Returns the path of a document, or its URI if it is not a file on this machine. */
function pathOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}

function readDocument(path: string): TomlDocument | undefined {
  try {
    return readToml(decodeSource(path, readInput(path).bytes)).document;
  } catch {
    return undefined;
  }
}

/** Returns the location of a rule's page, by the rule's id. */
export type RulePage = (id: string) => string | undefined;

/** Converts the findings of a document to the client's diagnostics. */
export function diagnosticsOf(view: View, pageOf: RulePage): Diagnostic[] {
  const { uri, snapshot } = view;
  return snapshot.findings.map(({ rule, severity, message, help, span, related }) => {
    const page = pageOf(rule);
    return {
      range: rangeOf(view, span),
      severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
      source: 'perturb',
      code: rule,
      ...(page !== undefined && { codeDescription: { href: page } }),
      message: help === undefined ? message : `${message}\n${help}`,
      ...(related !== undefined && {
        relatedInformation: related.map((place) => {
          return { location: { uri, range: rangeOf(view, place.span) }, message: place.message };
        }),
      }),
    };
  });
}
