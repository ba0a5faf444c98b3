import { quote, suggest } from '../../diagnostics/index.js';
import {
  type Attributes,
  findParameter,
  type Mutator,
  parseValue,
  resolveParams,
} from '../../mutators/index.js';
import type { AttributeValue } from '../../values/index.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';

/**
 * The params of a mutation from words such as `speed=5`, each of the type of
 * its parameter. What is left out takes its default, so that what is sent is
 * what was meant. A word may use a parameter's name or its key.
 *
 * @throws Failure (usage) that lists everything that is wrong
 */
export function readParams(mutator: Mutator, words: readonly string[]): Attributes {
  const given = new Map<string, AttributeValue>();
  const wrong: string[] = [];
  for (const word of words) {
    const read = readWord(mutator, word);
    if ('problem' in read) wrong.push(read.problem);
    else if (given.has(read.key)) wrong.push(`parameter ${quote(read.key)} is given twice`);
    else given.set(read.key, read.value);
  }
  if (wrong.length > 0) throw refusal(mutator, wrong);
  const resolved = resolveParams(mutator, given);
  if ('reasons' in resolved) throw refusal(mutator, resolved.reasons);
  return resolved.values;
}

function readWord(
  { parameters }: Mutator,
  word: string,
): { readonly key: string; readonly value: AttributeValue } | { readonly problem: string } {
  const equals = word.indexOf('=');
  if (equals === -1) return { problem: `${quote(word)} is not of the form key=value` };
  const name = word.slice(0, equals);
  const parameter = findParameter(parameters, name);
  if (parameter === undefined) {
    const known = new Set(parameters.flatMap((one) => [one.name, one.key]));
    const help = suggest(name, [...known]);
    return {
      problem: `there is no parameter ${quote(name)} (${help ?? 'the mutator has none at all'})`,
    };
  }
  const read = parseValue(parameter, word.slice(equals + 1));
  if ('value' in read) return { key: parameter.key, value: read.value };
  const help = read.help === undefined ? '' : ` (${read.help})`;
  return { problem: `parameter ${quote(name)}: ${read.problem}${help}` };
}

function refusal({ id }: Mutator, reasons: readonly string[]): Failure {
  const lines = reasons.map((reason) => `  ${reason}`).join('\n');
  return new Failure(exitCodes.usage, `nothing was sent to the mutator ${quote(id)}:\n${lines}`);
}
