import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactLocation, PhysicalLocation, Region } from 'sarif';
import type { SourceFile, Span } from '../../source/index.js';
import type { ReporterContext } from '../reporter.js';
import { repositoryPath, STDIN } from './repository-path.js';

/** What relative URIs are relative to. The name is a convention; GitHub and editors know it. */
export const ROOT = '%SRCROOT%';

/** Where in which file a span is. */
export function toLocation(
  file: SourceFile,
  span: Span,
  context: ReporterContext,
): PhysicalLocation {
  return { artifactLocation: toArtifact(file, context), region: toRegion(file, span) };
}

/** The URI of a file: from the repository's root, or absolute for one outside of it. */
export function toArtifact(file: SourceFile, context: ReporterContext): ArtifactLocation {
  if (file.path === STDIN) return { uri: STDIN, description: { text: 'Standard input.' } };
  const path = repositoryPath(file.path, context);
  if (isAbsolute(path)) return { uri: pathToFileURL(path).href };
  return { uri: path.split('/').map(encodeSegment).join('/'), uriBaseId: ROOT };
}

/** A span in both of SARIF's ways: lines and columns, and an offset. Neither counts a BOM. */
export function toRegion(file: SourceFile, span: Span): Region {
  const start = file.lines.position(span.start);
  const end = file.lines.position(span.end);
  return {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column,
    charOffset: span.start,
    charLength: span.end - span.start,
  };
}

/** A lone surrogate, which a URI cannot hold, becomes U+FFFD as in any other conversion to UTF-8. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Cs}/gu, '\ufffd'));
}
