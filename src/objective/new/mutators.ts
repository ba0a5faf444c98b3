import {
  type Catalog,
  type CatalogMutator,
  findParameter,
  mutatorName,
  mutatorsNamed,
  type Parameter,
} from '../../mutators/model/index.js';
import { writeString } from '../../toml/index.js';
import { commentLines, describeMutator, describeParameter } from './comment.js';
import { settingFor } from './setting.js';

/**
 * The tables of a new objective for the selected mutators, each with a comment:
 * one for each name and probe. A table without a probe is about every mutator
 * of its name, selected or not, so it says what holds for all of them.
 */
export function mutatorTables(catalog: Catalog, selected: readonly CatalogMutator[]): string[] {
  const tables = new Map<string, string>();
  for (const mutator of selected) {
    const key = JSON.stringify([mutatorName(mutator), mutator.probe]);
    if (!tables.has(key)) tables.set(key, mutatorTable(catalog, mutator));
  }
  return [...tables.values()];
}

function mutatorTable(catalog: Catalog, mutator: CatalogMutator): string {
  const targets = mutatorsNamed(catalog, mutatorName(mutator), mutator.probe);
  const comments = distinct(targets.flatMap(describeMutator));
  const name = writeName(mutatorName(mutator));
  const probe = mutator.probe === undefined ? undefined : writeString(mutator.probe);
  if (name === undefined || (mutator.probe !== undefined && probe === undefined)) {
    const id = `The mutator with the id ${mutator.id}: an objective cannot hold its name or probe.`;
    return toText([...commentLines(id), ...comments]);
  }
  const header = [
    '[[mutator]]',
    `name = ${name}`,
    ...(probe === undefined ? [] : [`probe = ${probe}`]),
  ];
  const constraints = wordsFor(targets).map((word) => constraintTable(word, targets));
  return [toText([...comments, ...header]), ...constraints].join('\n');
}

function constraintTable(word: string, targets: readonly CatalogMutator[]): string {
  const parameters = targets.flatMap(({ parameters: all }) => findParameter(all, word) ?? []);
  const comments = distinct(parameters.flatMap(describeParameter));
  const name = writeName(word);
  // A constraint must hold for every mutator that its table is about.
  const setting = parameters.length === targets.length ? settingFor(parameters) : undefined;
  if (name === undefined || setting === undefined) {
    return toText([...commentLines(`Parameter ${word}, not constrained:`), ...comments]);
  }
  return toText([...comments, '[[mutator.param_constraints]]', `name = ${name}`, setting]);
}

/** The words that stand for the parameters of mutators: a name, or the key where the name is another's. */
function wordsFor(mutators: readonly CatalogMutator[]): readonly string[] {
  return distinct(
    mutators.flatMap(({ parameters }) => parameters.map((one) => wordFor(parameters, one))),
  );
}

function wordFor(parameters: readonly Parameter[], parameter: Parameter): string {
  const { name, key } = parameter;
  const isUsable = writeName(name) !== undefined && findParameter(parameters, name) === parameter;
  return isUsable ? name : key;
}

/** A name as a TOML string, unless it is one that an objective cannot hold. */
function writeName(name: string): string | undefined {
  return name.trim() === '' ? undefined : writeString(name);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
