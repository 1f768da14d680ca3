/** `threads export`: all matching threads, one a line, as reads return them. */
import type { Command } from 'commander'
import { getThreads } from '#contract/comments/threads.ts'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { addCommand } from '../../command.ts'
import { dataOf, declare } from '../../command-parameters.ts'
import { pagesOf } from '../../connection/calls.ts'
import { toFile, toStream } from '../../moving/export/export-file.ts'
import { io } from '../../terminal/io.ts'
import { printJson } from '../../terminal/output.ts'
import { counted } from '../../terminal/progress.ts'
import { colouredNote, note } from '../../terminal/terminal.ts'
import { THREAD_FILTERS } from './parameters.ts'

export function addThreadsExport(program: Command): void {
  const command = addCommand(program, 'threads export', {
    summary: 'Write threads with their comments as newline-delimited JSON.',
    description:
      'Calls threads.get page by page and writes each thread as it is returned. To move threads to another API key, use commonhold export, which also has their followers and what users have seen. Without a file, or with -, it writes to standard output.',
    examples: ['commonhold threads export roadmap.ndjson --org acme --doc roadmap'],
    async run({ words: [file], options, connection }) {
      const isFile = typeof file === 'string' && file !== '-'
      const { write, end, abandon } = isFile ? toFile(file) : toStream(io().stdout)
      const data = dataOf({ operation: getThreads, parameters: THREAD_FILTERS }, [], options)
      let threads = 0
      try {
        for await (const page of pagesOf(connection(), getThreads, { ...data, order: 'asc' }))
          for (const thread of page.data as ThreadRecord[]) {
            await write(`${JSON.stringify(thread)}\n`)
            threads++
          }
        await end()
      } catch (error) {
        await abandon()
        throw error
      }
      if (options.json === true && isFile) printJson({ threads })
      else note(`${colouredNote('green', '✓')} ${counted(threads)} threads.`)
    },
  }).argument('[file]', 'The file to write; - is standard output.')
  for (const parameter of THREAD_FILTERS) declare(command, getThreads, parameter)
}
