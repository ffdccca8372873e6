/**
 * Removes certain characters from the ends of a text. It uses no pattern: one such as / +$/ is tried from every blank
 * of an inner run, which takes quadratic time.
 */

/** Removes all `characters` from the end of `text`. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return end === text.length ? text : text.slice(0, end)
}

/** Removes all `characters` from the start of `text`. */
export function trimmedStart(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return start === 0 ? text : text.slice(start)
}

/** Removes all `characters` from both ends of `text`. */
export function trimmed(text: string, characters: string): string {
  return trimmedStart(trimmedEnd(text, characters), characters)
}
