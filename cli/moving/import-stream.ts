/** Imports standard input, or what another command writes into a pipe: it can be read only once, so there is no place to go on from. */
import { addAbortSignal, type Readable } from 'node:stream'
import { errorsFile } from './errors-file.ts'
import { importEntries } from './import.ts'
import { errorsFileOf, type FileImported, type FileImportOptions } from './import-file.ts'

export interface StreamImportOptions extends Omit<FileImportOptions, 'file' | 'target' | 'resume'> {
  input: Readable
  /** What refused lines are called by, in the folder of the command. */
  name: string
}

export async function importStream({ input, name, entriesOf, ...options }: StreamImportOptions): Promise<FileImported> {
  if (options.signal !== undefined) addAbortSignal(options.signal, input) // nothing more may ever come
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
