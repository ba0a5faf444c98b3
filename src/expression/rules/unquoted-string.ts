import { quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../rule.js';
import type { Attribute, Comparison } from '../tree/ast.js';
import { printName, printString } from '../tree/print.js';

/** An attribute compared with a name that is nearly always a string without its quotes. */
export const unquotedString: ExpressionRule = {
  meta: {
    id: 'expression/unquoted-string',
    severity: 'warning',
    fixable: true,
    summary: 'an attribute is compared with a bare name',
    why: 'A bare name is an attribute. Where quotes were forgotten, the pattern matches nothing.',
    action: 'Write a string in quotes, or an attribute in backquotes to say that it is meant.',
    examples: {
      fails: 'MATCH (name = HEARTBEAT) AS h',
      passes: "MATCH (name = 'HEARTBEAT') AS h",
    },
  },
  check({ text, context }, report) {
    for (const leaf of context.inPatterns) {
      const bare = leaf.kind === 'comparison' ? bareName(text, leaf) : undefined;
      if (bare !== undefined) report(bare.probe === undefined ? violation(bare) : atProbe(bare));
    }
  },
};

/** Words for nothing in other languages: nobody means a string by them. */
const NULLS: ReadonlySet<string> = new Set(['null', 'nil', 'none', 'undefined']);

/** Words for numbers in other languages. */
const NUMBERS: ReadonlySet<string> = new Set(['inf', 'infinity', 'nan']);

function violation({ path, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const message = `${quote(name)} is an attribute here, because it has no quotes`;
  if (NULLS.has(name.toLowerCase())) {
    return { message, help: 'there is no null: comparing a missing attribute is false', span };
  }
  if (NUMBERS.has(name.toLowerCase())) {
    const help = `numbers are finite: write ${printString(name)} for a string, or \`${name}\` for the attribute`;
    return { message, help, span };
  }
  const string = printString(name);
  return {
    message,
    help: `write ${string}, or \`${name}\` if the attribute is meant`,
    span,
    // In a TOML string that single quotes delimit, double ones mean the same.
    fix: { title: `write ${string}`, edits: [{ span, text: string, otherwise: `"${name}"` }] },
  };
}

/** `name = LAND @ GAZEBO`: no fix, for the probe may be of the other side. */
function atProbe({ path, probe, span }: Attribute): Violation {
  const name = path[0]?.text ?? '';
  const event = `${printString(name)} @ ${printName({ text: probe?.text ?? '' })}`;
  return {
    message: `${quote(name)} is an attribute here, because it has no quotes`,
    help: `for the event at that probe, write ${event} without a comparison; \`${name}\` if the attribute is meant`,
    span: path[0]?.span ?? span,
  };
}

/**
 * The side that looks like a string: the right one, or the left one when the
 * right one is `name` or `probe`. What faces a dotted attribute is an attribute
 * too. An order of two attributes is plausible, only an equality is suspected.
 */
function bareName(text: string, { left, comparator, right }: Comparison): Attribute | undefined {
  if (comparator !== '=' && comparator !== '!=') return undefined;
  if (left.kind !== 'attribute' || right.kind !== 'attribute') return undefined;
  if (left.path.length > 1 || right.path.length > 1) return undefined;
  if (isBare(text, right)) return isSame(left, right) ? undefined : right;
  return isNameOrProbe(right) && isBare(text, left) ? left : undefined;
}

/** Without backquotes, and none that every event has. */
function isBare(text: string, attribute: Attribute): boolean {
  return text[attribute.span.start] !== '`' && !isNameOrProbe(attribute);
}

function isNameOrProbe({ path }: Attribute): boolean {
  return path[0]?.text === 'name' || path[0]?.text === 'probe';
}

function isSame(left: Attribute, right: Attribute): boolean {
  return left.path[0]?.text === right.path[0]?.text;
}
