import { Kind } from '../session.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const COORDINATE = /^([0-9a-f-]{36}):([0-9a-f]{32})$/;

type WriteValue = (
  kind: number,
  number: number,
  exact: bigint | undefined,
  isTime?: boolean,
) => string;

/** Writes values of columns as the JSON of attribute values; `texts` are those of the session. */
export function valueWriter(texts: readonly string[]): WriteValue {
  return (kind, number, exact, isTime = false) => {
    switch (kind) {
      case Kind.integer:
        return exact === undefined && Number.isSafeInteger(number)
          ? `${number}`
          : integer(exact ?? BigInt(number), isTime);
      case Kind.float:
        return float(number);
      case Kind.boolean:
        return number === 1 ? 'true' : 'false';
      case Kind.string:
        return JSON.stringify(texts[number]);
      default:
        return other(texts[number] as string);
    }
  };
}

/** A time is written as a number as far as it can be. */
function integer(value: bigint, isTime: boolean): string {
  if (BigInt.asIntN(64, value) === value) return `${value}`;
  if (isTime && BigInt.asUintN(64, value) === value) return `{"Timestamp":${value}}`;
  return `{"BigInt":"${value}"}`;
}

function float(value: number): string {
  if (!Number.isFinite(value)) return `{"NonFiniteFloat":"${value}"}`;
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Timeline ids, logical times and event coordinates, told apart by how they are written. */
function other(text: string): string {
  if (UUID.test(text)) return `{"TimelineId":"${text}"}`;
  const [, timeline, id] = COORDINATE.exec(text) ?? [];
  if (id === undefined) return `{"LogicalTime":[${text.split(':').join(',')}]}`;
  const bytes = id.match(/../g)?.map((byte) => Number.parseInt(byte, 16));
  return `{"EventCoordinate":{"timeline_id":"${timeline}","id":[${bytes?.join(',')}]}}`;
}
