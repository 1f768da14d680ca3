/** Exports who has access to what in the whole folder or organization as CSV: a row for each user and resource. */
import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ACCESS_COLUMNS, accessCells, accessRows, type Place } from '#sdk/shared/access-rows.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { saveCsv } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'
import { useKey } from '../../session/use-session.ts'

/** The progress is shown again after this many milliseconds. */
const SHOWN_EVERY_MS = 200

export function ExportAll({ place }: { place: Place }) {
  const key = useKey()
  const [rows, setRows] = useState(0)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const all = useMutation({
    mutationFn: async () => {
      const controller = new AbortController()
      running.current = controller
      const parts = [csvRows([ACCESS_COLUMNS])]
      let count = 0
      let shownAt = 0
      setRows(0)
      try {
        for await (const found of accessRows(key.client, place, { signal: controller.signal })) {
          parts.push(csvRows(found.map(accessCells)))
          count += found.length
          if (performance.now() - shownAt < SHOWN_EVERY_MS) continue
          shownAt = performance.now()
          setRows(count)
        }
      } catch (error) {
        if (controller.signal.aborted) return
        throw error
      }
      saveCsv(`all access ${place.id}`, parts)
    },
  })
  return (
    <>
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={all.isPending}
          onClick={() => all.mutate()}
        >
          Export everything as CSV
        </Button>
        {all.isPending && (
          <>
            <Text size="sm" role="status">
              {plural(rows, 'row')} so far
            </Text>
            <Button variant="default" onClick={() => running.current?.abort()}>
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
