/** Exports all events that match the filters, as CSV or as lines of JSON. */
import { Button, Group, Menu, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { EVENT_COLUMNS, type EventList, eventCells, eventLine, eventRows } from '#sdk/event-sentences/event-rows.ts'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { type FileFormat, saveFile } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'

/** The progress is shown again after this many milliseconds. */
const SHOWN_EVERY_MS = 200

interface Format extends FileFormat {
  label: string
  head: string
  textOf: (rows: readonly NamedEvent[]) => string
}

const FORMATS: readonly Format[] = [
  {
    label: 'CSV',
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    // The byte order mark tells spreadsheets that it is UTF-8.
    head: `\uFEFF${csvRows([EVENT_COLUMNS])}`,
    textOf: (rows) => csvRows(rows.map(eventCells)),
  },
  {
    label: 'JSON Lines',
    ending: 'jsonl',
    type: 'application/x-ndjson',
    head: '',
    textOf: (rows) => rows.map((row) => `${eventLine(row)}\n`).join(''),
  },
]

/** `list` is a method of the client. */
export function useExport<Data extends object>(list: EventList<Data>, query: Data) {
  const [count, setCount] = useState(0)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const { mutate, isPending, error } = useMutation({
    mutationFn: async ({ head, textOf, ...format }: Format) => {
      const controller = new AbortController()
      running.current = controller
      // The browser keeps the content of each blob outside of the memory of the page.
      const parts = [new Blob([head])]
      let [exported, shownAt] = [0, 0]
      setCount(0)
      try {
        for await (const rows of eventRows(list, query, { signal: controller.signal })) {
          if (rows.length > 0) parts.push(new Blob([textOf(rows)]))
          exported += rows.length
          if (performance.now() - shownAt < SHOWN_EVERY_MS) continue
          shownAt = performance.now()
          setCount(exported)
        }
      } catch (error) {
        if (controller.signal.aborted) return
        throw error
      }
      saveFile(`events ${new Date().toISOString().slice(0, 10)}`, parts, format)
    },
  })
  return { count, start: mutate, isRunning: isPending, error, cancel: () => running.current?.abort() }
}

type Export = ReturnType<typeof useExport>

export function ExportMenu({ start, isRunning }: Export) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isRunning}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => (
          <Menu.Item key={format.label} onClick={() => start(format)}>
            {format.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Says how far the export is; nothing when none is under way. */
export function ExportProgress({ count, isRunning, error, cancel }: Export) {
  if (error !== null) return <Failure error={error} />
  if (!isRunning) return null
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        Exporting: {plural(count, 'event')} so far
      </Text>
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  )
}
