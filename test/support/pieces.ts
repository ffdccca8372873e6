/** Helpers for pieces of lists. */
import { Turns } from "../../runtime/base/turns.ts"

/** Drops the turns between the pieces. */
export function* withoutTurns<Piece>(pieces: Iterable<Piece | Turns>): Generator<Piece> {
  for (const piece of pieces) if (!(piece instanceof Turns)) yield piece
}

/** Counts how often the pieces yield, and the most pieces between two yields. */
export function turnsIn(pieces: Iterable<unknown>): { readonly turns: number; readonly mostAtOnce: number } {
  let turns = 0
  let made = 0
  let mostAtOnce = 0
  for (const piece of pieces) {
    if (piece instanceof Turns) {
      turns++
      made = 0
      // The writer waits for it in the same way.
      void piece.next()
    } else mostAtOnce = Math.max(mostAtOnce, ++made)
  }
  return { turns, mostAtOnce }
}
