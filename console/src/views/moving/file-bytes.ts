/** Reads a file of the device part by part, also in browsers whose streams cannot be iterated. */
export async function* bytesOf(file: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = file.stream().getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}
