/** Reads from and writes to the terminal: colours, escaped control characters, prompts. */

import { type InspectColor, styleText } from 'node:util'
import { confirm, isCancel, password, select } from '@clack/prompts'
import { Failure, wrongUsage } from '../failures.ts'
import { readStdin } from '../text-files.ts'
import { io, type OutputStream } from './io.ts'

type Colour = InspectColor | readonly InspectColor[]

/** Colours a text for standard output if that is a terminal and `NO_COLOR` is not set. */
export const coloured = (colour: Colour, text: string): string =>
  styleText(colour as InspectColor, text, { stream: io().stdout })

/** Colours a text for standard error. */
export const colouredNote = (colour: Colour, text: string): string =>
  styleText(colour as InspectColor, text, { stream: io().stderr })

/** Characters that move the cursor, set colours or reverse the text direction. Names come from other people and may contain them. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Bidi_Control}]/gu

/** Escapes the control characters in a text. */
export const plain = (text: string): string =>
  text.replace(CONTROL_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

const TO_START = '\r'
const ERASE_REST = '\u001b[K'

/** The terminals whose last line is a status, which the next text replaces. */
const withStatus = new WeakSet<OutputStream>()

/** Shows a status on standard error, in place of the previous one. */
export function showStatus(text: string): void {
  withStatus.add(io().stderr)
  io().stderr.write(`${TO_START}${text}${ERASE_REST}`)
}

/** Erases the status, so that the next text starts in an empty line. */
export function eraseStatus(): void {
  if (withStatus.delete(io().stderr)) io().stderr.write(`${TO_START}${ERASE_REST}`)
}

export function write(text: string): void {
  if (io().stdout.isTTY === true) eraseStatus()
  io().stdout.write(text)
}

export const print = (text: string): void => write(`${text}\n`)

/** Writes a line to standard error: everything but the result of the command. */
export function note(text: string): void {
  eraseStatus()
  io().stderr.write(`${text}\n`)
}

const WIDTH_MIN = 20

/** Wraps a text between words at the width of the terminal and indents further lines. Piped output stays on one line. */
export function wrapped(text: string, indent: number, stream: OutputStream): string {
  const width = (stream.isTTY === true ? stream.columns || 80 : Number.POSITIVE_INFINITY) - indent
  if (text.length <= width || width < WIDTH_MIN) return text
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

export const isInteractive = (): boolean => io().stdin.isTTY === true && io().stderr.isTTY === true

/** Returns why nothing may be asked; undefined: somebody is there to answer. */
function whyUnasked(): string | undefined {
  if (!isInteractive()) return 'There is no terminal to ask for'
  if (io().isJson === true) return 'With --json nobody is asked for'
  return io().env.CI === undefined ? undefined : 'While CI is set nobody is asked for'
}

/** Whether questions may be asked. Otherwise commands use the defaults that their help names, or say which option is missing. */
export const canAsk = (): boolean => whyUnasked() === undefined

const streams = () => ({ output: io().stderr, input: io().stdin })

function unlessCancelled<Value>(answer: Value | symbol): Value {
  if (isCancel(answer)) throw new Failure('interrupted', 'Nothing was done.')
  return answer as Value
}

/** Asks for confirmation of an irreversible action. Where nothing may be asked, `--yes` is required instead. */
export async function requireConfirmation(question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return
  const why = whyUnasked()
  if (why !== undefined) throw wrongUsage(`${question} ${why} confirmation.`, 'To confirm, add --yes.')
  if (!unlessCancelled(await confirm({ message: question, initialValue: false, ...streams() })))
    throw new Failure('interrupted', 'Nothing was done.')
}

export interface Question {
  message: string
  /** The first is proposed. */
  choices: readonly { value: string; hint: string }[]
  /** The consequence of giving no answer, as a sentence. */
  otherwise: string
}

/** Asks for one of several values. */
export async function choose({ message, choices }: Question): Promise<string> {
  const options = choices.map((choice) => ({ ...choice, label: choice.value }))
  return unlessCancelled<string>(await select({ message, options, ...streams() }))
}

/** Reads a secret from a hidden prompt or from standard input. Never from an argument, which every user of the machine can read. */
export async function readSecret(name: string): Promise<string> {
  const why = whyUnasked()
  if (why === undefined) return unlessCancelled<string>(await password({ message: name, ...streams() })).trim()
  if (io().stdin.isTTY === true)
    throw wrongUsage(`${name}: missing. ${why} it.`, 'Write it to standard input, for example with < FILE.')
  return (await readStdin()).trim()
}
