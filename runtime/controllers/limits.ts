/** Limits of what controllers do for one object of a user. */

/** Namespaces in which the garbage collector looks for an owner only to report it to the user. */
export const namespacesSearchedMax = 1000

/**
 * Finalizers of an object that a sweep of its namespace remembers for the next one, and different ones that the
 * namespace's conditions count. Real objects have one or two.
 */
export const finalizersKeptMax = 16
export const finalizersCountedMax = 1000

/** Absent owners of one object that the garbage collector looks for elsewhere: one Event is enough for an object. */
export const ownersSearchedMax = 3

/** Uids of owners for which the garbage collector remembers that they do not exist in any namespace. */
export const uidsRememberedMax = 10_000
