/** Text as XML has it. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A number of a picture, to a tenth. */
export function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
