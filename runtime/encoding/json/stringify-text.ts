/** `JSON.stringify` of a text, in half the time for one without characters that JSON escapes. */
export function stringifyText(text: string): string {
  return needsNoEscape.test(text) ? `"${text}"` : JSON.stringify(text)
}
const needsNoEscape = /^[ !#-[\]-~]*$/
