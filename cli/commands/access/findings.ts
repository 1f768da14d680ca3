/** Commands that list findings: what an administrator should look at. */
import { type AccountFinding, type Finding, listAccountFindings, listFindings } from '#contract/access/findings.ts'
import type { OperationCommand } from '../../operation-command.ts'
import type { Table } from '../../terminal/output.ts'
import { coloured, plain } from '../../terminal/terminal.ts'
import { shown } from '../../times.ts'

/** A line for each: a sentence is too long for a cell of a table. */
const SENTENCES: Table = {
  as: 'table',
  columns: [],
  rowsIn: 'findings',
  lines: (_result: never, findings: readonly (Finding | AccountFinding)[]) =>
    findings.map(({ kind, sentence, since }) => {
      const facts = since === undefined ? kind : `${kind}, since ${shown(since)}`
      return `${plain(sentence)}  ${coloured('dim', facts)}`
    }),
}

export const FINDING_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'findings list',
    operation: listFindings,
    parameters: [
      { flags: '-o, --org <organization>', at: 'organizationId' },
      { flags: '--kind <kind...>', at: 'kinds', help: 'Only findings of these kinds, such as guest_without_end.' },
    ],
    show: SENTENCES,
    examples: ['commonhold findings list', 'commonhold findings list --kind guest_without_end left_with_access --json'],
  },
  {
    name: 'findings workspace',
    operation: listAccountFindings,
    show: SENTENCES,
    examples: ['commonhold findings workspace'],
  },
]
