/** Reads a file of the device part by part, also in browsers whose streams cannot be iterated. */
import { MovingFailure } from '#moving/failure.ts'

export async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = file.stream().getReader()
  const read = () => reader.read().catch(unreadable)
  try {
    for (let part = await read(); !part.done; part = await read()) yield part.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** A browser reads a file only as it was when it was chosen. Browsers differ in the error. */
function unreadable(): never {
  throw new MovingFailure('The file cannot be read: it was changed or moved since it was chosen.', 'Choose it again.')
}
