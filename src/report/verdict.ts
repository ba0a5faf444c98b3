import { element, type Markup } from './markup.js';

/** A verdict or an outcome, which stands out where it is no success, also without a style sheet. */
export function verdictText(word: string): Markup {
  return element(word === 'passed' ? 'span' : 'strong', { class: word }, word);
}
