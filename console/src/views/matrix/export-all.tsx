/** Exports all access in the whole folder or organization as CSV, with a row for each user and resource. */
import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { ACCESS_COLUMNS, accessCells, accessRows, type Place } from '#sdk/shared/access-rows.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { type Run, useRun } from '../../components/feedback/use-run.ts'
import { saveCsv } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { useKey } from '../../session/use-session.ts'

export function ExportAll({ place }: { place: Place }) {
  const key = useKey()
  const all = useRun(async (_nothing: undefined, { signal, onProgress }: Run<number>) => {
    const parts = [csvRows([ACCESS_COLUMNS])]
    let count = 0
    for await (const found of accessRows(key.client, place, { signal })) {
      parts.push(csvRows(found.map(accessCells)))
      count += found.length
      onProgress(count)
    }
    saveCsv(`all access ${place.id}`, parts)
  })
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={all.isPending}
          onClick={() => all.mutate(undefined)}
        >
          Export everything as CSV
        </Button>
        {all.isPending && (
          <>
            <Text size="sm" role="status">
              {plural(all.progress ?? 0, 'row')} so far
            </Text>
            <Button variant="default" onClick={all.cancel}>
              Cancel
            </Button>
          </>
        )}
        {!all.isPending && (
          <Text size="sm" c="dimmed">
            All folders and documents, with a row for each that a user has access to, and why.
          </Text>
        )}
      </Group>
      {all.error !== null && <Failure error={all.error} />}
    </>
  )
}
