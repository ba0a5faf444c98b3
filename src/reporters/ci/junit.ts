import { ACTING, escapeCharacter } from '../../basics/index.js';
import type { Finding, Severity } from '../../diagnostics/index.js';
import { metadataTexts, type TestCase, type TestResult } from '../../results/index.js';
import type { Report, ReporterContext } from '../report.js';
import { summarize, withHelp } from '../report.js';
import { repositoryPath } from './annotations.js';

const NAME = 'perturb';

/**
 * JUnit XML of findings as Jenkins and GitLab read it: a suite for each file with findings, and in it a
 * case for each: one that failed if the finding fails the run, else one that was skipped, which readers
 * show with its message. A clean run has a suite with one case that passed, because readers consider a
 * report without cases broken.
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
 * Readers recognize a case by its class and name, and drop one of two that share
 * them. So a name holds no line number, and a repeated one gets a suffix.
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
      ...(metadata && { properties: metadataTexts(metadata) }),
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
    // The schema that most readers follow has no `skipped` for all suites together.
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

/** An XML element that holds either a text or other elements. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** None for an empty one. */
  readonly content?: string | readonly XmlElement[];
}

/** Characters that XML 1.0 forbids even as references (section 2.2, `Char`). */
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
 * Formats an element as XML 1.0. Every text survives parsing unchanged, except for
 * characters that XML cannot represent, which become `\u{1b}`.
 */
function toXml({ name, attributes, content = [] }: XmlElement, indent = ''): string {
  const list = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(`${value}`)}"`,
  );
  const open = `${indent}<${name}${list.join('')}`;
  if (content.length === 0) return `${open}/>\n`;
  // Line ends may be in a text as they are; in an attribute, a reader would turn them into spaces.
  if (typeof content === 'string')
    return `${open}>${content.split('\n').map(escapeXml).join('\n')}</${name}>\n`;
  const children = content.map((child) => toXml(child, `${indent}  `));
  return `${open}>\n${children.join('')}${indent}</${name}>\n`;
}

function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, escapeCharacter)
    .replace(MARKUP, (character) => ENTITIES[character] as string)
    .replace(ACTING, (character) => `&#${character.codePointAt(0)};`);
}

/** The findings by the path of their file from the repository's root. */
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

/** The version of Checkstyle whose format this is: the one that other linters name and readers expect. */
const CHECKSTYLE = '4.3';

/** Checkstyle XML: an element for each file with findings, in it one for each. */
export function checkstyle(report: Report, context: ReporterContext): string {
  const files = [...byFile(report.findings, context)].map(([name, found]) => {
    return { name: 'file', attributes: { name }, content: found.map(toError) };
  });
  return HEAD + toXml({ name: 'checkstyle', attributes: { version: CHECKSTYLE }, content: files });
}

function toError(finding: Finding): XmlElement {
  const { rule, severity, file, span } = finding;
  const { line, column } = file.lines.position(span.start);
  // Jenkins takes the last part between dots as the type, and the one before as the category.
  const source = `perturb.${rule.replaceAll('/', '.')}`;
  const message = withHelp(finding, '; ');
  return { name: 'error', attributes: { line, column, severity, message, source } };
}
