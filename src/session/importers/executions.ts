import { type Problems, quoted } from '../problem.js';

/** How a log of several executions is parted, and which of them is read. */
export interface ExecutionOptions {
  /** A regular expression of the line above each execution; its group `trace` names that. */
  readonly delimiter?: string;
  /** The name of the execution to read, or its number from 1. */
  readonly execution?: string;
}

interface Execution {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** So many are named in a message. */
const MOST_NAMED = 8;

/**
 * The text of one execution, behind as many line ends as come before it, so that its lines keep
 * their numbers. Where it is not clear which one, that is added to `problems`.
 *
 * @throws {SyntaxError} if the delimiter is not a regular expression
 */
export function executionOf(
  text: string,
  { delimiter, execution: wanted }: ExecutionOptions,
  problems: Problems,
): string {
  if (delimiter === undefined) return text;
  const all = executionsOf(text, compile(delimiter));
  const [only] = all;
  const found =
    wanted === undefined
      ? all.length === 1 && only
      : (all.find(({ name }) => name === wanted) ?? all[Number(wanted) - 1]);
  if (!found) {
    const names = all.slice(0, MOST_NAMED).map(({ name }) => quoted(name));
    const list = [...names, ...(all.length > MOST_NAMED ? ['...'] : [])].join(', ');
    const holds = `the file holds ${all.length} executions: ${list}`;
    const message =
      wanted === undefined
        ? `${holds}; read one of them with --execution`
        : `there is no execution ${quoted(wanted)}; ${holds}`;
    problems.add('record', { message });
    return '';
  }
  const before = text.slice(0, found.start).split('\n').length - 1;
  return '\n'.repeat(before) + text.slice(found.start, found.end);
}

function compile(delimiter: string): RegExp {
  try {
    return new RegExp(delimiter, 'gm');
  } catch (error) {
    throw new SyntaxError(`the delimiter: ${(error as SyntaxError).message}`);
  }
}

function executionsOf(text: string, delimiter: RegExp): Execution[] {
  const executions: Execution[] = [];
  let open = { name: '', start: 0 };
  const close = (end: number) => {
    if (text.slice(open.start, end).trim() === '') return;
    const name = open.name === '' ? String(executions.length + 1) : open.name;
    executions.push({ name, start: open.start, end });
  };
  for (const match of text.matchAll(delimiter)) {
    close(match.index);
    open = {
      name: match.groups?.['trace']?.trim() ?? '',
      start: match.index + match[0].length,
    };
  }
  close(text.length);
  return executions;
}
