import {
  type Advice,
  duplicatesIn,
  type Edit,
  listOf,
  type ProposedFix,
  quote,
  type ReportFn,
  suggestedFix,
  suggester,
  type Violation,
} from '../../diagnostics/index.js';
import type { Context, ExpressionRule, LabelInPattern } from '../analysis/context.js';
import { isOfSession, labelOfKey } from '../analysis/meaning.js';
import { FINITE_ADVICE, isNonFinite } from '../lexer/literals.js';
import type { Attribute, Comparison, Located, Name, Operand, Tree } from '../tree/ast.js';
import { printCondition, printName, printOperand, printString } from '../tree/print.js';
import { attributesIn, attributesOf, dotted, type Leaf, operandsOf } from '../tree/walk.js';
import { nullAdvice } from './values.js';

/** Reports two patterns with the same label. */
export const duplicateLabel: ExpressionRule = {
  id: 'expression/duplicate-label',
  severity: 'error',
  fixable: 'suggested',
  summary: 'two patterns in MATCH have the same label',
  why: 'A label stands for one event in each match, so a label with two patterns is ambiguous.',
  action: 'Use a different label for one of the patterns.',
  examples: {
    fails: "MATCH (name = 'fault') AS f, (name = 'reset') AS f WHEN f -> r",
    passes: "MATCH (name = 'fault') AS f, (name = 'reset') AS r WHEN f -> r",
  },
  check({ tree, context }, report) {
    if (context.bound.size === tree.labels.length) return;
    const repeatedLabels = [...duplicatesIn(tree.labels, ({ text }) => text)];
    const unboundLabels = new Set(
      labelsUsed(tree, context).flatMap(({ text }) => (context.bound.has(text) ? [] : [text])),
    );
    // If an equal number of used labels have no pattern, these labels were probably intended, in text order.
    const intendedLabels = unboundLabels.size === repeatedLabels.length ? [...unboundLabels] : [];
    repeatedLabels.forEach(([label, first], at) => {
      const name = intendedLabels[at];
      const fix =
        name === undefined ? undefined : suggestedFix(label.span, printName({ text: name }));
      report({
        message: `a second pattern has the label ${quote(label.text)}`,
        help: fix?.title ?? 'use a different label for one of the patterns',
        span: label.span,
        related: [{ message: 'the first label', span: first.span }],
        ...(fix && { fix }),
      });
    });
  },
};

/** Reports a label that MATCH does not bind. */
export const unknownLabel: ExpressionRule = {
  id: 'expression/unknown-label',
  severity: 'error',
  fixable: 'suggested',
  summary: 'WHEN, FILTER or AGGREGATE names a label that MATCH does not bind',
  why: 'The label stands for no event, so the clause has no meaning.',
  action: 'Correct the label, or bind it with `AS` in MATCH.',
  examples: {
    fails: "MATCH (name = 'fault') AS fault FILTER falt.severity > 3",
    passes: "MATCH (name = 'fault') AS fault FILTER fault.severity > 3",
  },
  check({ tree, context }, report) {
    if (!tree.labelsComplete) return;
    const unknownLabels = labelsUsed(tree, context).filter(({ text }) => !context.bound.has(text));
    // A duplicate label was probably written in place of an unknown label.
    const repeatedLabels = [...duplicatesIn(tree.labels, ({ text }) => text)];
    const names = new Set(unknownLabels.map(({ text }) => text));
    if (names.size > repeatedLabels.length) explainUnknown(unknownLabels, tree, report);
  },
};

/** Returns every label in WHEN, FILTER and AGGREGATE. */
function labelsUsed(
  tree: Tree,
  { inFilter, measuredAttributes: measured, counted, bound }: Context,
): Name[] {
  const usedLabels: Name[] = [];
  for (const { labels } of tree.when?.relations ?? [])
    for (const label of labels) usedLabels.push(label);
  for (const leaf of inFilter) {
    for (const operand of operandsOf(leaf)) addLabels(operand, bound, usedLabels);
  }
  for (const attribute of measured) addLabels(attribute, bound, usedLabels);
  usedLabels.push(...counted);
  for (const key of tree.aggregate?.by?.keys ?? []) {
    if (key.kind === 'window') addLabels(key.time, bound, usedLabels);
    else usedLabels.push(labelOfKey(key));
  }
  return usedLabels;
}

function addLabels(operand: Operand, bound: ReadonlySet<string>, labels: Name[]): void {
  for (const attribute of attributesIn(operand)) {
    const { path } = attribute;
    if (path.length > 1 && !isOfSession(attribute, bound)) labels.push(path[0] as Name);
  }
}

function explainUnknown(unknownLabels: readonly Name[], tree: Tree, report: ReportFn): void {
  const helpFor = suggester([...new Set(tree.labels.map(({ text }) => text))]);
  const usesByLabel = new Map<string, [Name, ...Name[]]>();
  for (const name of unknownLabels) {
    const uses = usesByLabel.get(name.text);
    if (uses === undefined) usesByLabel.set(name.text, [name]);
    else uses.push(name);
  }
  for (const [text, names] of usesByLabel) {
    const [{ span }, ...moreUses] = names;
    const message = `no pattern has the label ${quote(text)}`;
    const { help, instead }: Advice =
      text === 'session' ? { help: 'use session.start or session.end' } : helpFor(text);
    const replacement = instead === undefined ? undefined : printName({ text: instead });
    const fix = replacement !== undefined && {
      ...suggestedFix(span, replacement),
      edits: names.map((name) => ({ span: name.span, text: replacement })),
    };
    report({
      ...{ message, help, span, ...(fix && { fix }) },
      related: moreUses.map((otherUse) => ({ message: 'here too', span: otherUse.span })),
    });
  }
}

/** Reports an attribute without a label in FILTER or AGGREGATE. */
export const missingLabel: ExpressionRule = {
  id: 'expression/missing-label',
  severity: 'error',
  fixable: 'suggested',
  summary: 'an attribute in FILTER or AGGREGATE has no label',
  why: "FILTER and AGGREGATE apply to all events in a match, so each attribute needs its event's label.",
  action: 'Write `label.attribute`.',
  examples: {
    fails: "MATCH (name = 'fault') AS f FILTER severity > 3",
    passes: "MATCH (name = 'fault') AS f FILTER f.severity > 3",
  },
  check({ tree, context }, report) {
    const reportOperand = (operand: Operand, otherOperand?: Operand): void => {
      const otherLabel =
        operand.kind === 'attribute' && otherOperand ? labelOf(otherOperand) : undefined;
      for (const attribute of attributesIn(operand)) {
        if (isUnlabelled(attribute)) report(explainUnlabelled(attribute, tree, otherLabel));
      }
    };
    for (const leaf of context.inFilter) {
      if (leaf.kind === 'located') report(explainUnlabelledEvent(leaf, tree));
      if (leaf.kind !== 'comparison') {
        for (const operand of operandsOf(leaf)) reportOperand(operand);
        continue;
      }
      const { left, right } = leaf;
      const isNull = nullAdvice(leaf);
      if (isUnlabelled(left) && isUnlabelled(right)) {
        // Both labels are missing.
        const { message, span } = explainUnlabelled(right, tree);
        const violation = differentEvents(leaf, tree) ?? explainUnlabelledBoth(left, right, tree);
        report({ ...violation, related: [{ message, span }] });
      } else if (isNull !== undefined && isUnlabelled(right)) {
        report({ ...explainUnlabelled(right, tree), ...isNull });
      } else {
        reportOperand(left, right);
        reportOperand(right, left);
      }
    }
    const windows = (tree.aggregate?.by?.keys ?? []).filter((key) => key.kind === 'window');
    // Another rule reports an argument of count().
    const counts = context.calls.filter(({ name }) => name.text.toLowerCase() === 'count');
    for (const attribute of [...context.measuredAttributes, ...windows.map(({ time }) => time)]) {
      if (counts.some(({ argument }) => argument === attribute)) continue;
      if (isUnlabelled(attribute)) report(explainUnlabelled(attribute, tree));
    }
  },
};

function isUnlabelled(operand: Operand): operand is Attribute {
  return operand.kind === 'attribute' && operand.path.length === 1;
}

function labelOf(operand: Operand): Name | undefined {
  return operand.kind === 'attribute' && operand.path.length > 1 ? operand.path[0] : undefined;
}

/** @param otherLabel the label of the attribute on the other side of the comparison */
function explainUnlabelled({ path, span }: Attribute, tree: Tree, otherLabel?: Name): Violation {
  const name = path[0] as Name;
  const nameText = printName(name);
  if (tree.labels.some(({ text }) => text === name.text)) {
    const message = `${quote(name.text)} is a label, not an attribute`;
    return { message, help: `name one of its attributes, such as ${nameText}.severity`, span };
  }
  if (otherLabel !== undefined && /^(?:null|nil|none|undefined)$/i.test(name.text)) {
    const message = `the attribute ${quote(name.text)} has no label`;
    return { message, help: 'there is no null; NOT exists() tests for a missing attribute', span };
  }
  if (isNonFinite(name.text)) {
    return { message: `the attribute ${quote(name.text)} has no label`, help: FINITE_ADVICE, span };
  }
  const quotedHint =
    otherLabel !== undefined ? `, or ${printString(name.text)} if it is a string` : '';
  const candidates = tree.labels.filter(({ text }) => text !== otherLabel?.text);
  const labels = candidates.length > 0 ? candidates : tree.labels;
  const replacements = labels.map((label) => `${printName(label)}.${nameText}`);
  if (otherLabel !== undefined) replacements.push(printString(name.text));
  const [first, ...alternatives] = replacements.map((replacement) =>
    suggestedFix(span, replacement),
  );
  const verb = labels.length === 0 ? 'use' : 'write';
  return {
    message: `the attribute ${quote(name.text)} has no label`,
    help: `${verb} ${anyLabel(tree)}.${nameText}${labelList(tree)}${quotedHint}`,
    span,
    fix: first && { ...first, alternatives },
  };
}

/** Reports `FILTER a != b` and `FILTER a = b` for two labels. */
function differentEvents(
  { left, comparator, right }: Comparison,
  tree: Tree,
): Violation | undefined {
  const isLabel = (operand: Operand) =>
    isUnlabelled(operand) && tree.labels.some(({ text }) => text === operand.path[0]?.text);
  if (!isLabel(left) || !isLabel(right) || (comparator !== '=' && comparator !== '!=')) {
    return undefined;
  }
  const [a, b] = [printOperand(left), printOperand(right)];
  const { fix: _, ...violation } = explainUnlabelled(left as Attribute, tree);
  if (comparator === '=')
    return { ...violation, help: `compare their attributes, such as ${a}.id = ${b}.id` };
  const help = `to require different events, use ${a} != ${b} in WHEN`;
  const { filter, when } = tree;
  const isAlone = filter?.condition.kind === 'comparison' && !tree.broken.has('when');
  if (!isAlone) return { ...violation, help };
  const edits =
    when === undefined
      ? [{ span: filter.span, text: `WHEN ${a} != ${b}` }]
      : [
          { span: { start: when.span.end, end: when.span.end }, text: ` AND ${a} != ${b}` },
          { span: filter.span, text: '' },
        ];
  return {
    ...violation,
    help,
    fix: { title: `write WHEN ${a} != ${b}`, kind: 'suggested', edits },
  };
}

/**
 * Reports a comparison of two attributes without labels. Suggests a label for each, or a string for
 * the second.
 */
function explainUnlabelledBoth(left: Attribute, right: Attribute, tree: Tree): Violation {
  const { fix: _, ...violation } = explainUnlabelled(left, tree);
  const [firstLabel, secondLabel = firstLabel] = tree.labels.map(printName);
  const isLabel = tree.labels.some(({ text }) =>
    [left, right].some(({ path }) => path[0]?.text === text),
  );
  if (firstLabel === undefined || secondLabel === undefined || isLabel) return violation;
  const labelEdit = (label: string, { path, span }: Attribute) => ({
    span,
    text: `${label}.${printName(path[0] as Name)}`,
  });
  const text = printString(right.path[0]?.text ?? '');
  const first = labelEdit(firstLabel, left);
  const combineEdits = (edit: Edit): ProposedFix => {
    const title = `write ${first.text} and ${edit.text}`;
    return { title, kind: 'suggested', edits: [first, edit] };
  };
  const alternatives = [combineEdits({ span: right.span, text })];
  return { ...violation, fix: { ...combineEdits(labelEdit(secondLabel, right)), alternatives } };
}

function explainUnlabelledEvent({ event, probe, span }: Located, tree: Tree): Violation {
  const label = anyLabel(tree);
  const name = `${label}.name = ${printString(event.text)}`;
  const condition = tree.filter?.condition;
  const isConjunct = condition?.kind === 'located' || condition?.kind === 'and';
  const [fix, ...alternatives] = tree.labels.map(printName).map((label) => {
    const replacement = `${label}.name = ${printString(event.text)} AND ${label}.probe = ${printString(probe.text)}`;
    return suggestedFix(span, isConjunct ? replacement : `(${replacement})`);
  });
  return {
    message: `the event ${quote(event.text)} has no label`,
    help: `${fix === undefined ? 'use' : 'write'} ${name} AND ${label}.probe = ${printString(probe.text)}${labelList(tree)}`,
    span,
    fix: fix && { ...fix, alternatives },
  };
}

/** Returns the label if there is only one, otherwise a placeholder. */
function anyLabel({ labels }: Tree): string {
  const [only, ...more] = labels;
  return only !== undefined && more.length === 0 ? printName(only) : 'label';
}

function labelList({ labels }: Tree): string {
  return labels.length < 2 ? '' : ` with the label ${listOf(labels.map(({ text }) => text))}`;
}

/** Reports an attribute in MATCH that begins with a label, or with a word for the event itself. */
export const labelInPattern: ExpressionRule = {
  id: 'expression/label-in-pattern',
  severity: 'warning',
  fixable: 'suggested',
  summary: 'an attribute in MATCH begins with a label, or with a word for the event itself',
  why: 'A pattern tests a single event and cannot use labels, so no event has such an attribute.',
  action:
    "For an attribute of the event itself, omit the label. Compare two events in FILTER. If the attribute's own name begins like a label, put the first part in backquotes.",
  examples: {
    fails: 'MATCH (fault.severity > 3) AS fault',
    passes: 'MATCH (severity > 3) AS fault',
  },
  check({ text, context: { bound, inPatterns, labelsInPatterns }, recorded }, report) {
    for (const attribute of inPatterns.flatMap(attributesOf)) {
      const { path, span } = attribute;
      const [firstName] = path;
      if (firstName === undefined || path.length < 2 || !OWN_EVENT.has(firstName.text)) continue;
      const isMeant = bound.has(firstName.text) || recorded?.attributes.has(dotted(path));
      if (isMeant || text[firstName.span.start] === '`') continue;
      const replacement = printOperand({ ...attribute, path: path.slice(1) });
      const fix = suggestedFix(span, replacement);
      const message = `a pattern tests a single event, so ${quote(firstName.text)} has no meaning here`;
      report({ message, help: fix.title, span: firstName.span, fix });
    }
    for (const labelInPattern of labelsInPatterns) {
      const name = dotted(labelInPattern.attribute.path);
      if (!recorded?.attributes.has(name)) report(explainInPattern(labelInPattern, bound));
    }
  },
};

/** Other languages' names for the event itself. */
const OWN_EVENT: ReadonlySet<string> = new Set(['_', 'this', 'self', 'it']);

function explainInPattern(labelInPattern: LabelInPattern, bound: ReadonlySet<string>): Violation {
  const { attribute, label, comparison, pattern } = labelInPattern;
  const { span } = label;
  const message = `a pattern tests a single event, so the label ${quote(label.text)} has no meaning here`;
  if (label.text === pattern.label.text) {
    const withoutLabelText = printOperand({ ...attribute, path: attribute.path.slice(1) });
    return {
      message,
      help: `write ${withoutLabelText}`,
      span,
      fix: suggestedFix(attribute.span, withoutLabelText),
    };
  }
  const comparisonText = printCondition(addLabel(comparison, pattern.label, bound));
  return { message, help: `compare events in FILTER: ${comparisonText}`, span };
}

/** Rewrites a pattern's leaf for FILTER, with the event's label before each attribute. */
function addLabel(leaf: Leaf, ownLabel: Name, bound: ReadonlySet<string>): Leaf {
  const labelledLeaf = structuredClone(leaf);
  for (const attribute of attributesOf(labelledLeaf)) {
    const { path } = attribute;
    const isLabelled = path.length > 1 && bound.has(path[0]?.text ?? '');
    if (!isLabelled) Object.assign(attribute, { path: [ownLabel, ...path] });
  }
  return labelledLeaf;
}
