/** `npm run fix`: writes the tables of docs/OPTIONS.md and docs/KINDS.md. `test/tidy` checks that they are current. */
import { writeDocTables } from "./doc-tables.ts"

writeDocTables()
