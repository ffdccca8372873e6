import { seedProperties } from "./seed.ts"

seedProperties()
