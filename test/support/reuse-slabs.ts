/** Set-up of every test file and of the simulation: the watch cache reuses memory early and poisons returned memory. */
import { reuseSlabsEarly } from "../../runtime/storage/watch-cache/options.ts"

reuseSlabsEarly()
