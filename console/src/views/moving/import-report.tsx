/** The result of a check or an import of a file: counts by kind, and the refused lines with reasons. */
import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { fieldInWords } from '#sdk/event-sentences/field-names.ts'
import { Note } from '../../components/feedback/note.tsx'
import { useLostFocus } from '../../components/feedback/use-lost-focus.ts'
import { saveFile } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import type { Result } from './runs.ts'

const SHOWN_MAX = 50

/** The names of kinds of records, singular and plural. Other kinds have their names in files, with an “s”. */
const WORDS: Readonly<Record<string, [string, string]>> = {
  settings: ['part of the settings', 'parts of the settings'],
  userGroupUser: ['member of a group', 'members of groups'],
  threadUser: ['follower of a thread', 'followers of threads'],
  notificationRecipient: ['recipient of a notification', 'recipients of notifications'],
  activity: ['activity', 'activities'],
}

const wordsOf = (kind: string): [string, string?] => WORDS[kind] ?? [fieldInWords(kind)]

interface ImportReportProps {
  result: Result
  /** How many records of each kind the whole file has. */
  kinds: Result['kinds']
  fileName: string
  dryRun: boolean
}

export function ImportReport({ result, kinds, fileName, dryRun }: ImportReportProps) {
  const { records, failed, faults, cutOff } = result
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} role="status" {...useLostFocus<HTMLParagraphElement>()}>
        {plural(records, 'record')} {dryRun ? 'can be imported' : 'imported'}, {failed.toLocaleString('en')} refused.
      </Text>
      {cutOff !== undefined && (
        <Note tone="caution" title="The import is incomplete">
          {cutOff}
        </Note>
      )}
      {kinds.size > 0 && (
        <Text size="sm" c="dimmed">
          In the file: {[...kinds].map(([kind, count]) => plural(count, ...wordsOf(kind))).join(', ')}.
        </Text>
      )}
      {faults.length > 0 && (
        <>
          <Table aria-label="Refused lines" layout="fixed" style={{ overflowWrap: 'anywhere' }}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={80}>Line</Table.Th>
                <Table.Th>Why it is refused</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {faults.slice(0, SHOWN_MAX).map(({ line, message }) => (
                <Table.Tr key={`${line} ${message}`}>
                  <Table.Td>{line.toLocaleString('en')}</Table.Td>
                  <Table.Td>
                    <bdi dir="ltr">{message}</bdi>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Group gap="sm">
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={14} aria-hidden />}
              onClick={() =>
                saveFile(
                  `${fileName} refused`,
                  faults.map(
                    ({ line, reason, message, record }) => `${JSON.stringify({ line, reason, message, record })}\n`,
                  ),
                  { ending: 'ndjson', type: 'application/x-ndjson' },
                )
              }
            >
              Save refused lines
            </Button>
            {failed > Math.min(SHOWN_MAX, faults.length) && (
              <Text size="sm" c="dimmed">
                {faults.length > SHOWN_MAX ? `The first ${SHOWN_MAX} are listed` : `${faults.length} are listed`}
                {failed > faults.length ? `, and ${faults.length.toLocaleString('en')} are saved` : ''}.
              </Text>
            )}
          </Group>
        </>
      )}
      {faults.length === 0 && failed > 0 && (
        <Text size="sm" c="dimmed">
          They were refused before the import was interrupted, and this browser had no room to keep why.
        </Text>
      )}
    </Stack>
  )
}
