/** What a check or an import of a file has found: counts by kind, and the refused lines with reasons. */
import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { fieldInWords } from '#sdk/event-sentences/changes.ts'
import { Note } from '../../components/feedback/note.tsx'
import { saveFile } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { FAULTS_MAX, type Result } from './runs.ts'

const SHOWN_MAX = 50

interface ImportReportProps {
  result: Result
  fileName: string
  dryRun: boolean
}

export function ImportReport({ result, fileName, dryRun }: ImportReportProps) {
  const { records, failed, faults, kinds, cutOff } = result
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} role="status">
        {plural(records, 'record')} {dryRun ? 'can be imported' : 'imported'}, {failed.toLocaleString()} refused.
      </Text>
      {cutOff !== undefined && (
        <Note tone="caution" title="The file is incomplete">
          {cutOff}
        </Note>
      )}
      {kinds.size > 0 && (
        <Text size="sm" c="dimmed">
          In the file:{' '}
          {[...kinds].map(([kind, count]) => `${count.toLocaleString()} × ${fieldInWords(kind)}`).join(', ')}.
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
                  <Table.Td>{line.toLocaleString()}</Table.Td>
                  <Table.Td>
                    <bdi>{message}</bdi>
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
            {failed > SHOWN_MAX && (
              <Text size="sm" c="dimmed">
                The first {SHOWN_MAX} are listed
                {failed > FAULTS_MAX ? `, and the first ${FAULTS_MAX.toLocaleString()} are saved` : ''}.
              </Text>
            )}
          </Group>
        </>
      )}
    </Stack>
  )
}
