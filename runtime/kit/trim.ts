/**
 * Texts without certain characters at their ends. By hand: a pattern such as / +$/ is tried from every blank of an inner run, which takes quadratic
 * time.
 */

/** `text` without any of `characters` at its end. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return end === text.length ? text : text.slice(0, end)
}

/** `text` without any of `characters` at its start. */
export function trimmedStart(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start++
  return start === 0 ? text : text.slice(start)
}

/** `text` without any of `characters` at both ends. */
export function trimmed(text: string, characters: string): string {
  return trimmedStart(trimmedEnd(text, characters), characters)
}
