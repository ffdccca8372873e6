/**
 * RE2 patterns of schemas and expressions. The engine takes time in proportion to the text for any pattern, but times
 * the size of the pattern's program, which a text of 50 characters can make a million instructions large. Both are
 * limited here: a pattern that is too large is refused, and a search counts its steps and ends when there are too many.
 *
 * The counters are put into methods of re2js, which package.json therefore pins to one minor release.
 */
import { RE2JS } from "re2js"
import { detachString } from "./own-text.ts"
import { patternCharactersMax, patternSizeMax, patternStepsMax, patternsSizeMax, searchBytesMax } from "./pattern-limits.ts"
import { patternSize } from "./pattern-size.ts"

/** A text that is no pattern; `message` is the error of the reference's engine. */
export class PatternFault {
  constructor(readonly message: string) {}
}

/** Thrown by a search that took `patternStepsMax` steps: whether the text matches is not known. */
export class SearchExceeded extends Error {
  override readonly name = "SearchExceeded"

  constructor() {
    super(`the search for the pattern takes more than ${patternStepsMax} steps; a shorter text or a simpler pattern takes fewer`)
  }
}

/** Steps of all searches up to now, for callers that count work. A step takes some 25 ns. */
let steps = 0
/** Where the present search ends. */
let end = Number.POSITIVE_INFINITY

function charge(count: number): void {
  steps += count
  if (steps > end) throw new SearchExceeded()
}

/** Steps that all searches and compilations have taken since the process began. Callers take differences. */
export function patternSteps(): number {
  return steps
}

/** Characters that the engine passes through in a step, where its way is known. */
const charactersPerStep = 4
/** Compiling an instruction takes as long as some steps of a search. */
const stepsPerInstruction = 100

/** A compiled pattern. Its searches throw SearchExceeded. */
export class Pattern {
  constructor(
    private readonly engine: RE2JS,
    /** Instructions, more or less. */
    readonly size: number,
  ) {}

  /** Whether a text has a match. */
  test(text: string): boolean {
    return this.search(text, () => this.engine.test(text))
  }

  /** The first match; empty when there is none. */
  first(text: string): string {
    return this.search(text, () => {
      const matcher = this.engine.matcher(text)
      return matcher.find() ? (matcher.group() ?? "") : ""
    })
  }

  /** Up to `limit` matches from left to right. An empty match at the end of the one before does not count. */
  all(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    return this.search(text, () => {
      const found: string[] = []
      const matcher = this.engine.matcher(text)
      let last = -1
      while (found.length < limit && matcher.find()) {
        charge(matchSteps)
        if (matcher.start() === matcher.end() && matcher.start() === last) continue
        found.push(matcher.group() ?? "")
        last = matcher.end()
      }
      return found
    })
  }

  private search<Found>(text: string, run: () => Found): Found {
    end = steps + patternStepsMax
    try {
      charge(text.length / charactersPerStep)
      return run()
    } finally {
      end = Number.POSITIVE_INFINITY
    }
  }
}

/** Steps of beginning a search and noting a match. */
const matchSteps = 40

const compiled = new Map<string, Pattern | PatternFault>()
let compiledSize = 0

/**
 * Compiles a pattern. The latest ones are remembered, up to `patternsSizeMax` instructions of them, so that callers
 * keep the text alone.
 */
export function patternOf(source: string): Pattern | PatternFault {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const own = detachString(source)
  const pattern = compile(own)
  compiled.set(own, pattern)
  compiledSize += keptSize(own, pattern)
  for (const [oldest, one] of compiled) {
    if (compiledSize <= patternsSizeMax || oldest === own) break
    compiled.delete(oldest)
    compiledSize -= keptSize(oldest, one)
  }
  return pattern
}

/** Size of a remembered pattern; 20 for the engine itself. Sizes count long classes too. */
function keptSize(source: string, pattern: Pattern | PatternFault): number {
  return 20 + (pattern instanceof Pattern ? pattern.size : source.length)
}

function compile(source: string): Pattern | PatternFault {
  if (source.length > patternCharactersMax) {
    return new PatternFault(`the pattern is too large: it has ${source.length} characters, more than the limit of ${patternCharactersMax}`)
  }
  const size = patternSize(source)
  if (size > patternSizeMax) {
    const why = "repetitions with counts are written out"
    return new PatternFault(
      `the pattern is too large: it compiles to some ${size} instructions (${why}), more than the limit of ${patternSizeMax}`,
    )
  }
  steps += size * stepsPerInstruction
  try {
    return new Pattern(RE2JS.compile(source), size)
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault)
    return new PatternFault(message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message)
  }
}

/** The parts of re2js that search. Its types leave most of them open. */
type Engine = ReturnType<RE2JS["re2"]>
type Automaton = Engine["dfa"]

interface Machine {
  step(queue: { readonly size: number }, ...rest: readonly unknown[]): void
}

/**
 * Puts counters into the engine's ways to search. The automaton counts new states and transitions, because it makes
 * them while it searches; the machine that follows all ways at once counts each way at each character. Ways to search
 * without a counter serve short texts only.
 */
function countSteps(): void {
  const sample = RE2JS.compile("(a|ab)(c|bcd)*?").re2()
  const automaton: Automaton = Object.getPrototypeOf(sample.dfa)
  const { closure } = automaton
  automaton.closure = function (pcs, flag) {
    const found = closure.call(this, pcs, flag)
    charge(6 * found.pcs.length + 8)
    return found
  }

  const Dfa = sample.dfa.constructor as new (prog: Engine["prog"], bytes: number) => Automaton // Its constructor's type is `Function`.
  const engine: Engine = Object.getPrototypeOf(sample)
  Object.defineProperty(engine, "dfa", {
    get(this: Engine) {
      this.lazyDFA ??= new Dfa(this.prog, searchBytesMax)
      return this.lazyDFA
    },
  })

  const { executeEngine } = engine
  engine.executeEngine = function (input, pos, anchor, ncap, lookbehinds) {
    const length: number = input.endPos()
    const isQuick = length * length * this.prog.numInst() <= quickSearchMax
    if (isQuick || (this.prefixComplete && (ncap === 0 || this.numSubexp === 0))) {
      return executeEngine.call(this, input, pos, anchor, ncap, lookbehinds)
    }
    if (this.prefilter !== null && anchor === unanchored && !this.prefilter.eval(input, pos)) return null
    if (ncap > 0) return this.doExecuteNFA(input, pos, anchor, ncap, lookbehinds)
    const found = this.dfa.match(input, pos, anchor)
    return found === null ? this.doExecuteNFA(input, pos, anchor, ncap, lookbehinds) : found ? [] : null
  }

  sample.doExecuteNFA(machineInputOf(sample, "abcd"), 0, unanchored, 2)
  const machine: Machine = Object.getPrototypeOf(sample.machinePool[0])
  const { step } = machine
  machine.step = function (queue, ...rest) {
    charge(queue.size + 1)
    return step.call(this, queue, ...rest)
  }
}

/** The engine itself chooses how to search while all searches of a text for a program take no more than this. */
const quickSearchMax = 100_000

/** The engine's word for a search anywhere in a text. */
const unanchored = 0

/** The input that a search makes of a text. */
function machineInputOf(engine: Engine, text: string): unknown {
  let found: unknown
  const { executeEngine } = engine
  engine.executeEngine = (input) => {
    found = input
    return null
  }
  engine.match(text)
  engine.executeEngine = executeEngine
  return found
}

countSteps()
