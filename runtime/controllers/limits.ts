/** Limits of the work of controllers for one object of a user. */

/** Namespaces that the garbage collector searches for an owner only to report it to the user. */
export const namespacesSearchedMax = 1000

/**
 * Finalizers of an object that a sweep of its namespace remembers for the next sweep, and different finalizers that the
 * namespace's conditions count. Real objects have one or two.
 */
export const finalizersKeptMax = 16
export const finalizersCountedMax = 1000

/** Absent owners of one object that the garbage collector searches for elsewhere: one Event per object is enough. */
export const ownersSearchedMax = 3

/** Uids of owners that the garbage collector remembers as missing from all namespaces. */
export const uidsRememberedMax = 10_000
