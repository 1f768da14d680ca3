/**
 * How far something is: one line on standard error that changes, where somebody looks. Nothing is switched in the
 * terminal for it, so Ctrl-C ends the program at any time as it ends any other.
 */
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'fast-string-width'
import { coloured } from './terminal.ts'

const WHEEL = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const TURN_MS = 80
const BAR_WIDTH_MAX = 40
/** What is written after the bar needs about so much. */
const BESIDE_BAR = 24
const TO_START = '\r'
const ERASE_REST = '\u001b[K'

/** Whether somebody looks. */
export const isWatched = (): boolean =>
  process.stderr.isTTY === true && process.env.CI === undefined && process.env.TERM !== 'dumb'
const columns = (): number => process.stderr.columns || 80

export interface Line {
  say(text: string): void
  /** Takes it away. */
  end(): void
}

/** Nothing where nobody looks. */
export function changingLine(): Line {
  let isShown = false
  return {
    say(text) {
      if (!isWatched()) return
      isShown = true
      const fits = stringWidth(stripVTControlCharacters(text)) < columns()
      const line = fits ? text : `${stripVTControlCharacters(text).slice(0, columns() - 2)}…`
      process.stderr.write(`${TO_START}${line}${ERASE_REST}`)
    },
    end() {
      if (isShown) process.stderr.write(`${TO_START}${ERASE_REST}`)
    },
  }
}

/** Something that turns while `wait` waits. */
export async function waiting<Value>(message: string, wait: () => Promise<Value>): Promise<Value> {
  const line = changingLine()
  let turn = 0
  const show = () => line.say(`${coloured('cyan', WHEEL[turn++ % WHEEL.length] ?? '', process.stderr)} ${message}`)
  show()
  const timer = setInterval(show, TURN_MS)
  try {
    return await wait()
  } finally {
    clearInterval(timer)
    line.end()
  }
}

/** A bar of so many percent, as wide as there is room. */
export function bar(percent: number): string {
  const width = Math.max(10, Math.min(BAR_WIDTH_MAX, columns() - BESIDE_BAR))
  const full = Math.round((width * Math.min(100, Math.max(0, percent))) / 100)
  const rest = coloured('dim', '─'.repeat(width - full), process.stderr)
  return `${coloured('cyan', '━'.repeat(full), process.stderr)}${rest}`
}
