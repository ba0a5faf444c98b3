import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allRules } from '../../src/cli/rules.js';
import { readSettings } from '../../src/config/index.js';
import { decodeSource, type Finding, lint, loadManifest } from '../../src/index.js';
import type { Diagnostic, Position } from './client.js';
import { readKeys } from './keys.js';
import { oneServer } from './open.js';

const open = oneServer();

const decoded = (text: string) => decodeSource('a', Buffer.from(text));

const check: Readonly<Record<string, (text: string) => readonly Finding[]>> = {
  'a.objective.toml': (text) => lint(decoded(text)),
  'mutators.toml': (text) => loadManifest(decoded(text)).findings,
  'perturb.toml': (text) => readSettings(decoded(text), allRules).findings,
};

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: (before.at(-1) as string).length };
}

/** A finding as the client has to get it. */
function expected(text: string, { rule, severity, message, help, span, related }: Finding) {
  const range = { start: positionOf(text, span.start), end: positionOf(text, span.end) };
  return {
    ...{ code: rule, severity: severity === 'error' ? 1 : 2, range },
    message: help === undefined ? message : `${message}\n${help}`,
    related: related?.map((place) => place.message),
  };
}

function shown({ code, severity, range, message, relatedInformation }: Diagnostic) {
  return {
    ...{ code, severity, range, message },
    related: relatedInformation?.map((place) => place.message),
  };
}

test.each([
  ['fixtures/editor/objective.keys', 'a.objective.toml'],
  ['fixtures/editor/manifest.keys', 'mutators.toml'],
  ['fixtures/editor/config.keys', 'perturb.toml'],
])(
  'after each keystroke of %s, the diagnostics are those of a check of the text',
  async (path, name) => {
    const { client, uri } = await open('', name);
    const keystrokes = readKeys(path);
    const rules = new Set<string>();
    let before = '';
    let asToml = 0;
    for (const [index, { start, end, typed, text }] of keystrokes.entries()) {
      const range = { start: positionOf(before, start), end: positionOf(before, end) };
      client.change(uri, index + 2, typed, range);
      const diagnostics = await client.diagnostics(uri, index + 2);
      const findings = (check[name] as (text: string) => readonly Finding[])(text);
      const isToml = !findings.some(({ rule }) => rule === 'toml/syntax');
      if (isToml) {
        asToml += 1;
        for (const { rule } of findings) rules.add(rule);
        expect(diagnostics.map(shown), text).toEqual(findings.map((one) => expected(text, one)));
      } else
        expect(
          diagnostics.map(({ code }) => code),
          text,
        ).toContain('toml/syntax');
      before = text;
    }
    const summary = [
      `${keystrokes.length} keystrokes, ${asToml} of them to TOML`,
      ...[...rules].sort(),
    ];
    const golden = resolve(path.replace('.keys', '.out'));
    // What is open is checked again when a configuration changes.
    client.notify('textDocument/didClose', { textDocument: { uri } });
    await expect(`${before}---\n${summary.join('\n')}\n`).toMatchFileSnapshot(golden);
  },
);
