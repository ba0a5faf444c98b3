import { codePointOf } from '../../basics/index.js';
import { quote, suggestedFix, type Violation, writing } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { kindOfAttribute, type Scope } from '../analysis/kinds.js';
import type { StringLiteral } from '../tree/ast.js';
import { printOperand, printString } from '../tree/print.js';
import { type Leaf, operandsOf } from '../tree/walk.js';

/** Reports a string with misleading characters. */
export const misleadingString: ExpressionRule = {
  id: 'expression/misleading-string',
  severity: 'warning',
  fixable: 'suggested',
  summary:
    'a string with invisible or lookalike characters, or a name that contains wildcards, spaces or a probe',
  why: 'Strings are compared character by character, so such a pattern almost never matches.',
  action:
    'Use GLOB for wildcards, write `@` outside the quotes, and use visible characters. Write any other character as an escape sequence such as `\\u00A0`.',
  examples: {
    fails: "MATCH (name = 'GUST*') AS g",
    passes: "MATCH (name GLOB 'GUST*') AS g",
  },
  check({ text, context }, report) {
    const checkLeaf = (leaf: Leaf, scope: Scope): void => {
      for (const literal of stringsOf(leaf)) {
        const literalText = text.slice(literal.span.start, literal.span.end);
        if (PLAIN_WORD.test(literalText)) continue;
        const violation = hiddenCharacter(literalText, literal) ?? checkName(leaf, literal, scope);
        if (violation !== undefined) report({ span: literal.span, ...violation });
      }
    };
    for (const leaf of context.inPatterns) checkLeaf(leaf, { kind: 'pattern', label: '' });
    for (const leaf of context.inFilter) checkLeaf(leaf, context.scope);
  },
};

/** Returns the strings of a leaf, including the event and the probe of `event @ probe`. */
function stringsOf(leaf: Leaf): Pick<StringLiteral, 'value' | 'span'>[] {
  if (leaf.kind === 'located') {
    return [leaf.event, leaf.probe].map(({ text: value, span }) => ({ value, span }));
  }
  const members = leaf.kind === 'in' ? leaf.values : leaf.kind === 'glob' ? [leaf.pattern] : [];
  return [...operandsOf(leaf), ...members].filter((operand) => operand.kind === 'string');
}

/** Matches a string of ASCII word characters, which cannot be misleading. Nearly all strings match. */
const PLAIN_WORD = /^(['"]?)\w+\1$/;

type Flaw = Omit<Violation, 'span'> & Partial<Pick<Violation, 'span'>>;

/** Matches invisible characters (`INVISIBLE`) and unusual spaces (`SPACE`). */
const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]/;
const SPACE = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/;

/** Letters of other scripts that look like a Latin letter, each followed by the Latin letter. */
const LOOKALIKES = new Map(
  ('АAВBЕEНHІIЈJКKМMОOРPСCЅSТTХXУYаaсcеeіiјjоoрpѕsхxуy' + 'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοo')
    .match(/../g)
    ?.map(([lookalike = '', latin = '']) => [lookalike, latin]),
);

/** Reports an invisible character, an unusual space or a lookalike letter in a string as written. */
function hiddenCharacter(
  literalText: string,
  { span }: Pick<StringLiteral, 'span'>,
): Flaw | undefined {
  const at = literalText.search(INVISIBLE);
  const index = at === -1 ? literalText.search(SPACE) : at;
  if (index !== -1) {
    const code = codePointOf(literalText.charAt(index));
    const noun = at === -1 ? 'an unusual space' : 'an invisible character';
    const start = span.start + index;
    return {
      message: `the string contains ${noun}, U+${code}`,
      help: `${at === -1 ? 'write an ordinary space' : 'delete it'}, or \\u${code} to keep it`,
      instead: at === -1 ? ' ' : '',
      span: { start, end: start + 1 },
    };
  }
  for (const { 0: word, index } of literalText.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const lookalikeIndex = [...word].findIndex((letter) => LOOKALIKES.has(letter));
    if (lookalikeIndex === -1 || !/[A-Za-z]/.test(word)) continue;
    const asciiWord = [...word].map((letter) => LOOKALIKES.get(letter) ?? letter).join('');
    if (!/^[\w]+$/.test(asciiWord)) continue;
    const code = codePointOf(word.charAt(lookalikeIndex));
    const start = span.start + index + lookalikeIndex;
    const wordSpan = { start: span.start + index, end: span.start + index + word.length };
    return {
      message: `${quote(word[lookalikeIndex] ?? '')} looks like ${quote(asciiWord[lookalikeIndex] ?? '')}, but is U+${code}`,
      help: `write ${asciiWord}`,
      fix: suggestedFix(wordSpan, asciiWord),
      span: { start, end: start + 1 },
    };
  }
  return undefined;
}

/** Checks a string compared with a name or a probe for characters that do not belong in a name. */
function checkName(
  leaf: Leaf,
  { value }: Pick<StringLiteral, 'value'>,
  scope: Scope,
): Flaw | undefined {
  const nameOperand = operandsOf(leaf).find(
    (operand) => operand.kind === 'attribute' && kindOfAttribute(operand, scope) === 'string',
  );
  if (leaf.kind !== 'located' && nameOperand === undefined) return undefined;
  const name = nameOperand === undefined ? 'name' : printOperand(nameOperand);
  const equals = leaf.kind === 'comparison' && leaf.comparator === '=';
  const trimmedText = value.trim();
  if (trimmedText !== value && leaf.kind !== 'glob' && trimmedText !== '') {
    const advice = writing(printString(trimmedText));
    return { message: `${quote(value)} begins or ends with white space`, ...advice };
  }
  const event = /^([\w.-]+)(?: @ ?|@ )([\w.-]+)$/.exec(value);
  if (event !== null && equals) {
    const [, eventName = '', probe = ''] = event;
    const located = `${printString(eventName)} @ ${/^[A-Za-z_][\w]*$/.test(probe) ? probe : printString(probe)}`;
    const message = `"@" is inside the quotes of ${printString(value)}`;
    if (scope.kind !== 'pattern')
      return { message, help: 'compare the name and the probe separately' };
    const help = `write ${located} without a comparison`;
    return { message, help, fix: suggestedFix(leaf.span, located) };
  }
  if (leaf.kind === 'glob') return undefined;
  if (/^[\w.-]*[*%][\w.*%-]*$/.test(value) && /^[*%]|[*%]$/.test(value)) {
    const glob = printString(value.replaceAll(/\.?[*%]+/g, '*'));
    const not = leaf.kind === 'comparison' && leaf.comparator === '!=' ? 'NOT ' : '';
    const message = `${printString(value)} is compared literally, because "=" and IN have no wildcards`;
    const corrected = `${name} ${not}GLOB ${glob}`;
    if (leaf.kind !== 'comparison') return { message, help: `for a wildcard, use ${corrected}` };
    return { message, help: `write ${corrected}`, fix: suggestedFix(leaf.span, corrected) };
  }
  const parts = value.split(/\s*[|,]\s*/);
  if (parts.length > 1 && parts.every((text) => /^[A-Za-z_][\w-]*$/.test(text))) {
    const corrected = `${name} IN (${parts.map(printString).join(', ')})`;
    const isWhole = equals || (leaf.kind === 'in' && leaf.values.length === 1);
    const message = `${printString(value)} is one name, not ${parts.length}`;
    if (!isWhole) return { message, help: 'put each name in its own quotes' };
    return { message, help: `write ${corrected}`, fix: suggestedFix(leaf.span, corrected) };
  }
  return undefined;
}
