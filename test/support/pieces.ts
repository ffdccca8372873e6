/** Pieces of lists as tests look at them. */
import { Turns } from "../../runtime/turns.ts"

/** Without the turns between them. */
export function* withoutTurns<Piece>(pieces: Iterable<Piece | Turns>): Generator<Piece> {
  for (const piece of pieces) if (!(piece instanceof Turns)) yield piece
}

/** How often the pieces let others have their turn, and the most that was made between two such places. */
export function turnsIn(pieces: Iterable<unknown>): { readonly turns: number; readonly mostAtOnce: number } {
  let turns = 0
  let made = 0
  let mostAtOnce = 0
  for (const piece of pieces) {
    if (piece instanceof Turns) {
      turns++
      made = 0
      // As the writer does, who waits for it.
      void piece.next()
    } else mostAtOnce = Math.max(mostAtOnce, ++made)
  }
  return { turns, mostAtOnce }
}
