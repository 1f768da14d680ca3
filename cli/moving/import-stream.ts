/** Imports standard input or a pipe, which can be read only once, so that an interrupted import cannot be resumed. */
import { addAbortSignal, type Readable } from 'node:stream'
import { errorsFile } from './errors-file.ts'
import { importEntries } from './import.ts'
import { errorsFileOf, type FileImported, type FileImportOptions } from './import-file.ts'

interface StreamImportOptions extends Omit<FileImportOptions, 'file' | 'target' | 'resume'> {
  input: Readable
  /** The name for the file of refused lines, which is written to the current folder. */
  name: string
}

export async function importStream({ input, name, entriesOf, ...options }: StreamImportOptions): Promise<FileImported> {
  if (options.signal !== undefined) addAbortSignal(options.signal, input) // or the read could wait indefinitely
  const errors = errorsFile(errorsFileOf(name, options.dryRun))
  await errors.open()
  const imported = await importEntries(entriesOf(input, 0), {
    ...options,
    onFaults: errors.add,
    onPortion: errors.flush,
  }).finally(() => input.destroy())
  await errors.flush()
  return { ...imported, ...(imported.failed > 0 ? { errorsFile: errors.path } : {}) }
}
