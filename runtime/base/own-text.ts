/**
 * Copies a string so that it does not retain a longer one. Called for texts of clients that are kept: V8 cuts a name
 * out of a header or a body without copying, so the name would keep all of it in memory.
 */
export function detachString(text: string): string {
  // The only way to copy every string, lone surrogates included.
  const copy: unknown = JSON.parse(JSON.stringify(text))
  return typeof copy === "string" ? copy : text
}
