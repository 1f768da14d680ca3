/**
 * Warnings of calls that succeeded (rules/contract.md#warnings): lines on standard error, with `--json` a field of the
 * result, or a line of JSON there.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Warning } from '#sdk/generated/warnings.ts'
import { colouredNote, note, plain } from '../terminal/terminal.ts'

/** A command that makes many calls, such as an import, shows the first warnings with a code, and counts the others. */
const SHOWN_MAX = 3

/** The warnings of a command, or of one of its calls. */
class Warned {
  readonly #byCode = new Map<string, Set<string>>()
  readonly #isShown: boolean

  constructor(isShown: boolean) {
    this.#isShown = isShown
  }

  add({ code, message }: Warning): void {
    const messages = this.#byCode.get(code) ?? new Set()
    this.#byCode.set(code, messages)
    if (this.#isShown && !messages.has(message) && messages.size < SHOWN_MAX) show(message)
    messages.add(message)
  }

  get all(): Warning[] {
    return [...this.#byCode].flatMap(([code, messages]) =>
      [...messages].map((message) => ({ code: code as Warning['code'], message })),
    )
  }

  /** Returns the warnings, which the command shows itself. */
  take(): Warning[] {
    const all = this.all
    this.#byCode.clear()
    return all
  }

  /** Shows the warnings that were neither shown nor taken. */
  showRest(): void {
    if (!this.#isShown && this.#byCode.size > 0) note(JSON.stringify({ warnings: this.all }))
    for (const [code, { size }] of this.#byCode)
      if (this.#isShown && size > SHOWN_MAX)
        show(`${(size - SHOWN_MAX).toLocaleString('en')} more of this kind (${code}).`)
  }
}

const show = (message: string): void => note(`${colouredNote('yellow', 'warning')}  ${plain(message)}`)

const current = new AsyncLocalStorage<Warned>()

/** Records a warning for the command, or the call, that is running. */
export const warn = (warning: Warning): void => (current.getStore() ?? new Warned(true)).add(warning)

/** Returns the warnings so far, which the command then shows itself. */
export const takeWarnings = (): Warning[] => current.getStore()?.take() ?? []

/** Runs a command. Its warnings are lines on standard error: with `isShown` sentences at once, otherwise JSON at the end. */
export async function showingWarnings<Result>(isShown: boolean, work: () => Promise<Result>): Promise<Result> {
  const warned = new Warned(isShown)
  const result = await current.run(warned, work)
  warned.showRest()
  return result
}

/** Runs work and returns its warnings, which are not shown. */
export async function withWarnings<Result>(
  work: () => Promise<Result>,
): Promise<[result: Result, warnings: Warning[]]> {
  const warned = new Warned(false)
  return [await current.run(warned, work), warned.all]
}
