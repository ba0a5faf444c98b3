import { printString } from '../../expression/index.js';
import { splitCell, tooManyGroups, windowText } from '../answer/groups.js';
import { placeText } from '../answer/listing.js';
import type { EventPlace, GroupKey } from '../answer/result.js';
import type { MatchedGroups } from '../answer/source.js';
import { addExact, isInfinite, negateExact, toRational } from '../exact/number.js';
import { showTerm, valueOfNumber } from '../exact/term-value.js';
import type { LabelAttribute, QueryGroups, QueryKey, SessionTimes } from '../query/query.js';
import { CellKind, doubleSql, toExact } from './cell.js';
import { calculation } from './condition.js';
import { int256 } from './database.js';
import { idSql, placesOf } from './evidence.js';
import { columnValues, type LabelTable, type Work } from './label-tables.js';

/**
 * The groups of BY on the server. In the label's table, column `g` holds the number of the first event in an event's
 * group, or 0 for an event in no group.
 */
export interface ServerGroups extends MatchedGroups {
  readonly table: LabelTable;
  /** The groups' positions, by `g`. */
  readonly placeOf: ReadonlyMap<string, number>;
}

/**
 * Groups a label's events by the keys of BY, on the server.
 *
 * @throws {Undecided} if there are too many groups
 */
export async function groupsOnServer(
  work: Work,
  { label, keys, hasNone }: QueryGroups,
  labelTable: LabelTable,
  times: SessionTimes,
): Promise<ServerGroups> {
  const { db, scratch } = work;
  const values = columnValues(work, () => 'l');
  const cell = (attribute: LabelAttribute) => values.cellOf(attribute);
  const plainKeys = keys.filter((key) => key.kind !== 'window');
  const presentConditions = plainKeys.flatMap((key) =>
    key.kind === 'value' ? [`${cell(key.attribute).kind} != ${CellKind.missing}`] : [],
  );
  const partitionColumns = plainKeys.flatMap((key) => {
    if (key.kind === 'event') return ['probe', 'seq'];
    const { kind, integerPart, part, text } = cell(key.attribute);
    return [kind, integerPart, part, text];
  });
  const windows = keys.flatMap((key) =>
    key.kind === 'window' ? [windowsOf(work, key, times)] : [],
  );
  const windowColumns = windows.map((_, at) => `x${at}`);
  const isPresentSql = [...(hasNone ? ['0'] : []), ...presentConditions].join(' and ') || '1';
  const isInRange = windowColumns.map(
    (position, at) => `${position} >= 0 and ${position} < ${windows[at]?.count}`,
  );
  const firstEvent = (by: readonly string[]) =>
    `min(id) over (partition by ${by.join(', ') || '1'})`;
  const windowSelects = windows.map(({ index }, at) => `, ${index} as x${at}`).join('');
  const name = await scratch.table(
    `select *, if(isthere and isin, ${firstEvent(['isthere', 'isin', 'v', ...windowColumns])}, 0) as g from (select *, ${firstEvent(['isthere', ...partitionColumns.map((column) => column.replace('l.', ''))])} as v from (select l.*, ${idSql('l')} as id, ${isPresentSql} as isthere${windowSelects}, ${isInRange.join(' and ') || '1'} as isin from ${labelTable.name} l))`,
  );
  const table = { ...labelTable, name };
  const groups = await db.rows(
    `select toString(g), toString(any(v))${windowColumns.map((position) => `, toString(any(${position}))`).join('')} from ${name} where g > 0 group by g order by g`,
  );
  const beyondSql = windows.map(({ count }, at) => `x${at} >= ${count}`).join(' or ') || '0';
  const [[distinctCount, cutCount] = ['0', '0']] = (await db.rows(
    `select toString(uniqExactIf(v, isthere)), toString(countIf(isthere and (${beyondSql}))) from ${name}`,
  )) as [string, string][];
  const perValue = windows.reduce((product, { count }) => product * count, 1);
  const valueCount = plainKeys.length === 0 ? 1 : Number(distinctCount);
  const cellCount = valueCount * perValue;
  if (!Number.isSafeInteger(cellCount)) throw tooManyGroups(keys);
  const emptyCount = cellCount - groups.length;

  /**
   * Returns an event with a group's plain key values, and the group's window indexes. For empty groups, describes the
   * first empty group.
   */
  const cellOf = async (group: number): Promise<readonly [string, readonly number[]]> => {
    const row = groups[group];
    if (row !== undefined) return [String(row[1]), row.slice(2).map(Number)];
    const values = await db.rows(
      `select distinct toString(v) from ${name} where isthere order by v`,
    );
    const usedCells = new Set(groups.map((row) => row.slice(1).join()));
    for (let cell = 0; ; cell++) {
      const [value, at] = splitCell(cell, windows);
      const event = String(values[value]?.[0] ?? 0);
      if (!usedCells.has([event, ...at].join())) return [event, at];
    }
  };
  const keyOf = async (key: QueryKey, event: string): Promise<GroupKey> => {
    if (key.kind === 'event') {
      const position = (await placesOf(work, [Number(event)])).get(Number(event)) as EventPlace;
      return { key: key.text, value: placeText(position), event: position };
    }
    const { kind, integerPart, part, text } = cell(
      (key as { attribute: LabelAttribute }).attribute,
    );
    const rows = await db.rows(
      `select ${kind}, toString(${integerPart}), ${doubleSql(part)}, ${text} from ${name} l where id = ${event}`,
    );
    const [booleanText, before, after, textValue] = rows[0] as [number, string, string, string];
    if (Number(booleanText) === CellKind.number) {
      return { key: key.text, value: showTerm(valueOfNumber(toExact(before, after))) };
    }
    return {
      key: key.text,
      value: Number(booleanText) === CellKind.string ? printString(textValue) : textValue,
    };
  };
  return {
    table,
    label,
    all: cellCount,
    size: groups.length + (emptyCount > 0 ? 1 : 0),
    placeOf: new Map(groups.map((row, position) => [String(row[0]), position])),
    weight: (group) => (group < groups.length ? 1 : emptyCount),
    ...(windows.length > 0 && { cutOff: Number(cutCount) }),
    first(group) {
      const [firstEvent] = groups[group] ?? [];
      return firstEvent === undefined ? undefined : Number(firstEvent);
    },
    async keys(group) {
      const [event, at] = await cellOf(group);
      const result: GroupKey[] = [];
      let window = 0;
      for (const key of keys) {
        if (key.kind !== 'window') result.push(await keyOf(key, event));
        else result.push({ key: key.text, value: windows[window]?.text(at[window++] ?? 0) ?? '' });
      }
      return result;
    },
  };
}

interface ServerWindows {
  readonly count: number;
  /**
   * The SQL of an event's window, at most the first window beyond the full windows; -1 for an event without a time.
   */
  readonly index: string;
  text(window: number): string;
}

function windowsOf(
  { columns }: Work,
  key: Extract<QueryKey, { kind: 'window' }>,
  { start, end }: SessionTimes,
): ServerWindows {
  if (start === undefined || end === undefined || isInfinite(start) || isInfinite(end)) {
    return { count: 0, index: 'toInt64(-1)', text: () => '' };
  }
  const { n, d } = toRational(addExact(end, negateExact(start)));
  const count = Number(n / (d * key.size));
  const values = columnValues({ columns }, () => 'l');
  const since = {
    kind: 'sum',
    constant: negateExact(start),
    terms: [{ times: 1, of: key.time }],
  } as const;
  const { value, isDefined } = calculation(since, values);
  const size = int256(key.size << BigInt(value.shift));
  return {
    count,
    index: `if(${isDefined}, toInt64(least(intDiv(${value.n}, ${size}), ${int256(BigInt(count))})), -1)`,
    text: (window) => windowText(start, key, window),
  };
}
