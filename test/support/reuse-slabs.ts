/** Set-up of every test file, and of the simulation: memory of the watch cache is used again early, and poisoned when it is given back. */
import { reuseSlabsEarly } from "../../runtime/storage/watch-cache/options.ts"

reuseSlabsEarly()
