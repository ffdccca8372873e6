/** Spellings of names that the generator and the OpenAPI documents share. */

/** `pod status` → `Pod status`. */
export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
