/** What is written to people: colours where they are wanted, nothing that could command a terminal, asking only where somebody is. */

import { type InspectColor, styleText } from 'node:util'
import { confirm, isCancel, password } from '@clack/prompts'
import { Failure, wrongUsage } from './failures.ts'

export type Colour = InspectColor | readonly InspectColor[]

/** Coloured where the stream is a terminal and `NO_COLOR` does not forbid it. */
export const coloured = (colour: Colour, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(colour as InspectColor, text, { stream })

/** Characters that move the cursor, colour, or turn the direction of what follows: names come from other people. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const COMMANDS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with what could command a terminal written out. */
export const plain = (text: string): string =>
  text.replace(COMMANDS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Beside the answer: never on standard output. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`)

const WIDTH_LEAST = 20

/** Broken between words where a terminal would break within them, what follows under the beginning. Piped it stays one line. */
export function wrapped(text: string, indent: number, stream: NodeJS.WriteStream): string {
  const width = (stream.isTTY === true ? stream.columns || 80 : Number.POSITIVE_INFINITY) - indent
  if (text.length <= width || width < WIDTH_LEAST) return text
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Whether somebody can be asked. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

const toPeople = { output: process.stderr, input: process.stdin }

function unlessCancelled<Value>(answer: Value | symbol): Value {
  if (isCancel(answer)) throw new Failure('interrupted', 'Nothing was done.')
  return answer as Value
}

/** Asks before what cannot be taken back. Where nobody can be asked, `--yes` must have said so. */
export async function makeSure(question: string, isSure: boolean): Promise<void> {
  if (isSure) return
  if (!canAsk()) throw wrongUsage(`${question} Nobody can be asked here.`, 'If it is meant, add --yes.')
  if (!unlessCancelled(await confirm({ message: question, initialValue: false, ...toPeople })))
    throw new Failure('interrupted', 'Nothing was done.')
}

/** A secret: typed unseen, or piped in. Never an argument, which everybody on the machine can read. */
export async function readSecret(name: string): Promise<string> {
  if (canAsk()) return unlessCancelled<string>(await password({ message: name, ...toPeople })).trim()
  return (await readStdin()).trim()
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
