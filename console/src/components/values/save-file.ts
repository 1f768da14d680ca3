/** Saves a file of parts on the device of the user. */
export interface FileFormat {
  /** The ending of the name, such as `csv`. */
  ending: string
  /** The media type. */
  type: string
}

export function saveFile(name: string, parts: readonly BlobPart[], { ending, type }: FileFormat): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name.replace(/[^\p{L}\p{N}._ -]+/gu, '_').slice(0, 80)}.${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves CSV of parts. The byte order mark tells spreadsheets that it is UTF-8. */
export const saveCsv = (name: string, parts: readonly string[]): void =>
  saveFile(name, ['\uFEFF', ...parts], { ending: 'csv', type: 'text/csv;charset=utf-8' })
