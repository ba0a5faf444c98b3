import { CONTROL_CHARACTERS, escapeCharacter } from '../../basics/index.js';
import type { Finding, Severity } from '../../diagnostics/index.js';
import { joinMetadataValues, type TestCase, type TestResult } from '../../results/index.js';
import type { Report, ReporterContext } from '../report.js';
import { summarize, withHelp } from '../report.js';
import { repositoryPath } from './annotations.js';

const NAME = 'perturb';

/**
 * Returns findings as JUnit XML for Jenkins and GitLab, with a suite per file and a case per
 * finding. A finding that fails the run is a failed case. Any other finding is a skipped case,
 * because readers show the message of skipped cases. A clean run has one passing case, because
 * readers reject reports without cases.
 */
export function junit(report: Report, context: ReporterContext): string {
  const failing: readonly Severity[] = report.warningsFail ? ['error', 'warning'] : ['error'];
  const suites = [...byFile(report.findings, context)].map(([path, found]) => ({
    name: path,
    cases: casesOf(path, found, failing),
  }));
  const passed = { name: NAME, cases: [{ classname: NAME, name: summarize(report) }] };
  return testsToJunit({ name: NAME, suites: suites.length === 0 ? [passed] : suites });
}

/**
 * Returns the cases of a file's findings. Readers identify a case by class and name and drop
 * duplicates. Names therefore contain no line numbers, and repeated names get a suffix.
 */
function casesOf(
  path: string,
  found: readonly Finding[],
  failing: readonly Severity[],
): TestCase[] {
  const seen = new Map<string, number>();
  return found.map((finding) => {
    const { rule, severity, message, file, span, metadata } = finding;
    const { line, column } = file.lines.position(span.start);
    const name = `${rule}: ${message}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    const said = { message, text: `${path}:${line}:${column}\n${withHelp(finding, '\n')}` };
    return {
      classname: path,
      name: nth === 1 ? name : `${name} (${nth})`,
      file: path,
      line,
      ...(metadata && { properties: joinMetadataValues(metadata) }),
      outcome: failing.includes(severity)
        ? { kind: 'failure', type: severity, ...said }
        : { kind: 'skipped', ...said, message: `${severity}: ${message}` },
    };
  });
}

/** Formats a result as JUnit XML. */
export function testsToJunit({ name, suites, time }: TestResult): string {
  const timed = time === undefined ? {} : { time };
  const all = suites.flatMap(({ cases }) => cases);
  const elements = suites.map((suite) => {
    // In the schema that most readers follow, the root element has no `skipped` attribute.
    const skipped = countOf(suite.cases, 'skipped');
    const attributes = { name: suite.name, ...counts(suite.cases), skipped, ...timed };
    return { name: 'testsuite', attributes, content: suite.cases.map(toElement) };
  });
  const attributes = { name, ...counts(all), ...timed };
  return HEAD + toXml({ name: 'testsuites', attributes, content: elements });
}

function counts(cases: readonly TestCase[]) {
  return {
    tests: cases.length,
    failures: countOf(cases, 'failure'),
    errors: countOf(cases, 'error'),
  };
}

function countOf(cases: readonly TestCase[], kind: string): number {
  return cases.filter(({ outcome }) => outcome?.kind === kind).length;
}

function toElement({ outcome, properties, output, ...attributes }: TestCase): XmlElement {
  const inside: XmlElement[] = [];
  if (properties !== undefined) {
    const all = Object.entries(properties).map(([name, value]) => ({
      name: 'property',
      attributes: { name, value },
    }));
    inside.push({ name: 'properties', attributes: {}, content: all });
  }
  if (outcome !== undefined) {
    const { kind, type, message, text: content = '' } = outcome;
    const said = { ...(type !== undefined && { type }), message };
    inside.push({ name: kind, attributes: said, content });
  }
  if (output !== undefined) inside.push({ name: 'system-out', attributes: {}, content: output });
  return { name: 'testcase', attributes, ...(inside.length > 0 && { content: inside }) };
}

/** An XML element that contains either text or elements. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Absent for an empty element. */
  readonly content?: string | readonly XmlElement[];
}

/** Characters that XML 1.0 forbids even as character references (section 2.2, `Char`). */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const MARKUP = /[&<>"]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/**
 * Formats an element as XML 1.0. Characters that XML cannot represent become escape sequences such
 * as `\u{1b}`. Parsers return all other text unchanged.
 */
function toXml({ name, attributes, content = [] }: XmlElement, indent = ''): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(`${value}`)}"`,
  );
  const open = `${indent}<${name}${list.join('')}`;
  if (content.length === 0) return `${open}/>\n`;
  // Text may contain literal line endings. In an attribute, a parser would convert these to spaces.
  if (typeof content === 'string')
    return `${open}>${content.split('\n').map(escapeXml).join('\n')}</${name}>\n`;
  const children = content.map((child) => toXml(child, `${indent}  `));
  return `${open}>\n${children.join('')}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, escapeCharacter)
    .replace(MARKUP, (character) => ENTITIES[character] as string)
    .replace(CONTROL_CHARACTERS, (character) => `&#${character.codePointAt(0)};`);
}

/** Groups findings by file path, relative to the repository's root. */
function byFile(findings: readonly Finding[], context: ReporterContext): Map<string, Finding[]> {
  const found = new Map<string, Finding[]>();
  for (const finding of findings) {
    const path = repositoryPath(finding.file.path, context);
    const others = found.get(path);
    if (others !== undefined) others.push(finding);
    else found.set(path, [finding]);
  }
  return found;
}

/** The Checkstyle version that other linters report and readers expect. */
const CHECKSTYLE = '4.3';

/** Returns findings as Checkstyle XML. Each file's element contains one element per finding. */
export function checkstyle(report: Report, context: ReporterContext): string {
  const files = [...byFile(report.findings, context)].map(([name, found]) => {
    return { name: 'file', attributes: { name }, content: found.map(toError) };
  });
  return HEAD + toXml({ name: 'checkstyle', attributes: { version: CHECKSTYLE }, content: files });
}

function toError(finding: Finding): XmlElement {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  // Jenkins uses the last dotted component as the type, and the component before as the category.
  const source = `perturb.${rule.replaceAll('/', '.')}`;
  const message = withHelp(finding, '; ');
  return { name: 'error', attributes: { line, column, severity, message, source } };
}
