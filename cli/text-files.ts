/** Reads whole files and standard input as UTF-8. Files of records, which can be large, are read by `moving/files/lines.ts`. */
import { readFileSync } from 'node:fs'
import { parseUnchanged } from '#contract/validation/numbers.ts'
import { decodedFile } from '#contract/validation/text.ts'
import { wrongUsage } from './failures.ts'
import { io } from './terminal/io.ts'

/** Returns the text without its byte order mark. Throws if the bytes are not UTF-8; `name` is the name of the file in the message. */
function textOf(bytes: Uint8Array, name: string): string {
  const decoded = decodedFile(bytes)
  if ('fault' in decoded) throw wrongUsage(`${name} cannot be read: ${decoded.fault}.`, 'Save it as UTF-8.')
  return decoded.text
}

export const readText = (file: string): string => textOf(readFileSync(file), file)

/** Returns the value in a file of JSON. Errors of the file system are thrown as they are. */
export function readJson(file: string): unknown {
  const text = readText(file)
  try {
    return parseUnchanged(text)
  } catch (error) {
    throw wrongUsage(`${file} is not JSON: ${(error as Error).message}.`)
  }
}

export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of io().stdin) chunks.push(chunk as Buffer)
  return textOf(Buffer.concat(chunks), 'standard input')
}
