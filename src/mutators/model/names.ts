/** Stricter than it must be (ASCII without dots), for keys that are safe to write anywhere. */
const KEY = /^[\w-]+$/;

/** A text in ASCII: accents dropped, every run of other characters than letters and digits a `gap`. */
function toAscii(text: string, gap: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/);
  return words.filter((word) => word !== '').join(gap);
}

/**
 * The key of a parameter of this name: the name itself when it consists of
 * ASCII letters, digits, `_` and `-`, otherwise a likeness that does
 * (`Wind speed (m/s)` gives `Wind_speed_m_s`), with a number where that is
 * taken (`_2`, `_3`). A name of which nothing is left gives `param`.
 */
export function keyFor(name: string, taken: ReadonlySet<string>): string {
  const base = KEY.test(name) ? name : toAscii(name, '_') || 'param';
  let key = base;
  for (let number = 2; taken.has(key); number++) key = `${base}_${number}`;
  return key;
}

/**
 * The id of a mutator of this name: the name in lower case with every run of
 * other characters than ASCII letters and digits as a `-` (`Wind, east` gives
 * `wind-east`), or the name itself when nothing is left.
 */
export function idFor(name: string): string {
  return toAscii(name, '-').toLowerCase() || name;
}
