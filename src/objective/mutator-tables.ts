import { visible, wrapWords } from '../basics/index.js';
import {
  type Catalog,
  type CatalogMutator,
  contains,
  convertBound,
  defaultRange,
  findMutators,
  findParameter,
  formatRange,
  formatValue,
  type HardRange,
  intersectionOf,
  type Mutator,
  mutatorName,
  type Parameter,
  toObjectiveBound,
} from '../mutators/model/index.js';
import { writeString } from '../toml/index.js';
import { type AttributeValue, compare, format, type ValueType } from '../values/index.js';

/**
 * Returns a new objective's mutator tables: one commented table for each name and probe of the selected mutators. A
 * table without a probe applies to every mutator with the table's name, even if not selected, so the constraints fit
 * all of these mutators.
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
  const targets = findMutators(catalog, mutatorName(mutator), mutator.probe);
  const comments = distinct(targets.flatMap(mutatorComment));
  const name = writeName(mutatorName(mutator));
  const probe = mutator.probe === undefined ? undefined : writeName(mutator.probe);
  if (name === undefined || (mutator.probe !== undefined && probe === undefined)) {
    const id = `No table for mutator ${mutator.id}: an objective cannot contain its name or probe.`;
    return toText([...commentLines(id), ...comments]);
  }
  const header = ['[[mutator]]', `name = ${name}`, ...(probe ? [`probe = ${probe}`] : [])];
  const constraints = wordsFor(targets).map((word) => constraintTable(word, targets));
  return [toText([...comments, ...header]), ...constraints].join('\n');
}

function constraintTable(word: string, targets: readonly CatalogMutator[]): string {
  const parameters = targets.flatMap(
    ({ parameters: candidates }) => findParameter(candidates, word) ?? [],
  );
  const comments = distinct(parameters.flatMap(parameterComment));
  const name = writeName(word);
  // A constraint must hold for every mutator that its table applies to.
  const setting = parameters.length === targets.length ? settingFor(parameters) : undefined;
  if (name === undefined || setting === undefined) {
    return toText([...commentLines(`Unconstrained parameter ${word}:`), ...comments]);
  }
  const isText = parameters[0]?.type === 'string';
  const choice = isText ? commentLines('A mutation gets one of the two strings.') : [];
  const lines = [
    ...comments,
    ...choice,
    '[[mutator.param_constraints]]',
    `name = ${name}`,
    setting,
  ];
  return toText(lines);
}

/** Returns labels for mutators' parameters: the name, or the key if the name is not unique. */
function wordsFor(mutators: readonly CatalogMutator[]): readonly string[] {
  return distinct(
    mutators.flatMap(({ parameters }) =>
      parameters.map((parameter) => wordFor(parameters, parameter)),
    ),
  );
}

function wordFor(parameters: readonly Parameter[], parameter: Parameter): string {
  const { name, key } = parameter;
  const isUsable = writeName(name) !== undefined && findParameter(parameters, name) === parameter;
  return isUsable ? name : key;
}

/** Formats a name, a probe or a tag as a TOML string. Returns undefined if an objective cannot contain it. */
export function writeName(name: string): string | undefined {
  return name.trim() === '' ? undefined : writeString(name);
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

const WIDTH = 80;

/**
 * Formats any text as comment lines, wrapped at spaces. Escapes characters that a comment cannot contain, and alters
 * lines that the linter would parse as inline ignores.
 */
export function commentLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => visible(line.trim()))
    .filter((line) => line !== '')
    .flatMap((line) => wrapWords(line.replace(/\s+/g, ' '), WIDTH - 2))
    .map((line) => (line.startsWith('perturb:') ? `# - ${line}` : `# ${line}`));
}

function mutatorComment(mutator: Mutator): string[] {
  const { description, layer, operation, statefulness, safety } = mutator;
  const kind = [layer, operation, statefulness].filter((word) => word !== undefined);
  return [
    ...commentLines(description ?? ''),
    ...commentLines(kind.join(', ')),
    ...commentLines(safety === undefined ? '' : `Safety: ${safety}`),
  ];
}

export function parameterComment(parameter: Parameter): string[] {
  const { description = '', type, units, leastEffect } = parameter;
  const facts = [
    `${type}${units === undefined ? '' : ` in ${units}`}`,
    ...acceptedValues(parameter),
    ...(parameter.default === undefined ? [] : [`default ${formatValue(parameter.default)}`]),
    ...(leastEffect === undefined ? [] : [`least effect ${formatValue(leastEffect)}`]),
  ];
  return [...commentLines(description), ...commentLines(facts.join('; '))];
}

function acceptedValues({ type, options, hardRange, usualRange }: Parameter): string[] {
  if (type === 'boolean') return ['true or false'];
  // The table below the comment lists the options, which may be many.
  if (options !== undefined) return [];
  return [
    hardRange === undefined ? 'open on both sides' : `hard range ${formatRange(hardRange)}`,
    ...(usualRange === undefined ? [] : [`usual range ${formatRange(usualRange)}`]),
  ];
}

/**
 * Returns the line that constrains a parameter to its accepted values: its hard range as `range`, or its options as
 * `enum_options`. For a parameter name shared by several mutators, the line allows only values that all of them
 * accept. A string gets the two bounds of its hard range as the values to choose from. Returns undefined if no line
 * applies: for a boolean, a parameter open on both sides, a string open on one side, or values that an objective
 * cannot contain.
 */
export function settingFor(parameters: readonly Parameter[]): string | undefined {
  const [firstParameter, ...moreParameters] = parameters;
  if (
    firstParameter === undefined ||
    moreParameters.some(({ type }) => type !== firstParameter.type)
  )
    return undefined;
  return firstParameter.options === undefined ? rangeOf(parameters) : optionsOf(parameters);
}

function optionsOf(parameters: readonly Parameter[]): string | undefined {
  const [firstOptions = [], ...moreOptions] = parameters.map(({ options = [] }) =>
    options.map(({ name }) => name),
  );
  const sharedOptions = firstOptions.filter((name) =>
    moreOptions.every((names) => names.includes(name)),
  );
  const writtenOptions = sharedOptions.map(writeString).filter((option) => option !== undefined);
  return writtenOptions.length === 0 ? undefined : `enum_options = [${writtenOptions.join(', ')}]`;
}

function rangeOf(parameters: readonly Parameter[]): string | undefined {
  const usualBounds = intersectionOf(parameters.map(defaultRange));
  const hard = intersectionOf(parameters.flatMap(({ hardRange }) => hardRange ?? []));
  const { lower, upper } = isEmpty(usualBounds) ? hard : usualBounds;
  if (lower === undefined && upper === undefined) return undefined;
  const { valueType } = parameters[0] as Parameter;
  const type = valueType === 'any' ? (lower ?? upper)?.type : valueType;
  const bounds = [lower ?? openSide('lower', type), upper ?? openSide('upper', type)];
  const writtenBounds = bounds.map((bound) => bound && writeBound(bound, parameters));
  return writtenBounds.includes(undefined) ? undefined : `range = [${writtenBounds.join(', ')}]`;
}

function isEmpty({ lower, upper }: HardRange): boolean {
  return lower !== undefined && upper !== undefined && (compare(lower, upper) ?? 0) > 0;
}

/**
 * Returns the bound for an open side of a range. Strings have no such bound, because a string range consists of two
 * values.
 */
function openSide(
  side: 'lower' | 'upper',
  type: ValueType | undefined,
): AttributeValue | undefined {
  const isLower = side === 'lower';
  switch (type) {
    case 'float':
      return { type: 'float', value: isLower ? -Infinity : Infinity };
    case 'integer':
    case 'bigInteger':
      return { type: 'integer', value: isLower ? -(2n ** 63n) : 2n ** 63n - 1n };
    case 'nanoseconds':
    case 'logicalTime':
      return { type: 'integer', value: isLower ? 0n : 2n ** 63n - 1n };
    default:
      return undefined;
  }
}

/** Formats a bound for a file. Returns undefined if a parameter would not accept the written value. */
function writeBound(bound: AttributeValue, parameters: readonly Parameter[]): string | undefined {
  const value = toObjectiveBound(bound);
  if (value === undefined) return undefined;
  const isAccepted = parameters.every(({ hardRange, valueType }) => {
    const typedBound = convertBound(value, valueType);
    return typedBound !== undefined && contains(hardRange ?? {}, typedBound);
  });
  if (!isAccepted) return undefined;
  return value.type === 'string' ? writeString(value.value) : format(value);
}
