/** Shorter ones would blacken words that happen to hold them, and are no secrets. */
const SHORTEST_SECRET = 4;

/** How often a text may have been put into JSON that was put into JSON: an error in a reason in a line. */
const DEEPEST = 3;

/** Replaces secrets in a line of JSON, or in a text that may hold JSON, wherever they come from. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  // The longest first: one may begin like another, and what follows would stay.
  for (const secret of secrets.toSorted((a, b) => b.length - a.length)) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of formsOf(secret)) clean = clean.replaceAll(form, '[redacted]');
  }
  return clean;
}

/** A secret as it is and as JSON writes it, the longest first: they hold one another. */
function formsOf(secret: string): string[] {
  const forms = [secret];
  for (let depth = 0; depth < DEEPEST; depth++) {
    forms.unshift(JSON.stringify(forms[0]).slice(1, -1));
  }
  return [...new Set(forms)];
}
