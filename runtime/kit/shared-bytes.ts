/**
 * Views of memory that is used again. Small objects of the watch cache lie together in such memory; whoever is given their bytes reads or copies
 * them before he lets others have their turn.
 */

/** Objects up to this size may lie in memory that is used again; larger ones never do, and their views last. */
export const sharedBytesMax = 16 * 1024

/** Called with a view that is to outlive the turn: answers bytes that stay as they are. */
export function lasting(view: Uint8Array): Uint8Array {
  return view.byteLength <= sharedBytesMax ? new Uint8Array(view) : view
}
