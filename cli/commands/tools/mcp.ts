/** `mcp`: a server of the Model Context Protocol, for assistants that answer questions about access. */

import type { Command } from 'commander'
import { addCommand, addServerOptions } from '../../command.ts'
import { untilInterrupted } from '../../interrupt.ts'
import { io } from '../../terminal/io.ts'
import { note } from '../../terminal/terminal.ts'

export function addMcp(program: Command): void {
  const command = addCommand(program, 'mcp', {
    callsServer: false,
    summary: 'Offer tools to an assistant, over the Model Context Protocol.',
    description:
      'Speaks the protocol on standard input and output with the program that started it, and ends with its input. The tools find, list and explain. Nothing is changed without --allow-changes, and only keys of the testing environment are used without --allow-production. No result contains secrets. The log is written to standard error.',
    examples: [
      'commonhold mcp',
      'commonhold mcp --profile staging',
      'commonhold mcp --profile staging --allow-changes',
    ],
    async run({ options, connection }) {
      if (io().stdin.isTTY)
        note('This command is for a program that speaks the Model Context Protocol. To end it: Ctrl-C')
      // The protocol is a third of the program, and no other command needs it.
      const { serve } = await import('../../mcp/serve.ts')
      const allowed = { changes: options.allowChanges === true, production: options.allowProduction === true }
      const mcp = { allowed, connection, hasTimeout: options.timeout !== undefined }
      await untilInterrupted((signal) => serve(mcp, signal))
      return 'done'
    },
  })
    .option('--allow-changes', 'Also offer apply_change, which makes a previewed change of access.')
    .option('--allow-production', 'Also use an API key of the production environment.')
  addServerOptions(command.optionsGroup('Connection:'))
}
