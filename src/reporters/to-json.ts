import { ACTING } from './visible.js';

/**
 * A value as indented JSON that is safe to show in a terminal. JSON escapes
 * C0 controls and lone surrogates itself; the other acting characters can only
 * stand inside strings, where an escape means the same.
 *
 * @param write for values that JSON.stringify does not take, such as bigints
 */
export function toJson(
  value: unknown,
  write: (value: unknown) => string = (plain) => JSON.stringify(plain, null, 2),
): string {
  const escaped = write(value).replace(ACTING, (character) =>
    character === '\n' ? character : escapeUnit(character),
  );
  return `${escaped}\n`;
}

/** Every acting character that JSON leaves as it is lies in the basic plane: one unit. */
function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
