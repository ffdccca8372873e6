/** Log messages about files that a running server reads again. */

export const whatStays = "what it said before stays in force"

/** The message for a changed file that cannot be used. */
export function unusableChange(option: string, path: string): string {
  return `--${option}: ${path} has changed and cannot be used; ${whatStays}`
}

export function takenUp(option: string): string {
  return `--${option}: the changed file was taken up`
}
