/**
 * A text without what it was cut from. Called for texts of clients that are kept: an engine that cuts a name out of a header or a body makes no
 * copy, so that the name keeps all of it in memory.
 */
export function ownText(text: string): string {
  // The only way that copies every text, halves of surrogate pairs included.
  const copy: unknown = JSON.parse(JSON.stringify(text))
  return typeof copy === "string" ? copy : text
}
