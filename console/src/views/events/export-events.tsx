/** Exports all events that match the filters, as CSV or as lines of JSON. */
import { Button, Group, Menu, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { EVENT_COLUMNS, type EventList, eventCells, eventLine, eventRows } from '#sdk/event-sentences/event-rows.ts'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { type Run, useRun } from '../../components/feedback/use-run.ts'
import { type FileFormat, saveFile } from '../../components/values/save-file.ts'
import { plural } from '../../plural.ts'

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
  return useRun(async ({ head, textOf, ...format }: Format, { signal, onProgress }: Run<number>) => {
    // The browser keeps the content of each blob outside of the memory of the page.
    const parts = [new Blob([head])]
    let count = 0
    for await (const rows of eventRows(list, query, { signal })) {
      if (rows.length > 0) parts.push(new Blob([textOf(rows)]))
      count += rows.length
      onProgress(count)
    }
    saveFile(`events ${new Date().toISOString().slice(0, 10)}`, parts, format)
  })
}

type Export = ReturnType<typeof useExport>

export function ExportMenu({ mutate, isPending }: Export) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map((format) => (
          <Menu.Item key={format.label} onClick={() => mutate(format)}>
            {format.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Says how far the export is; nothing when none is under way. */
export function ExportProgress({ progress = 0, isPending, error, cancel }: Export) {
  if (error !== null) return <Failure error={error} />
  if (!isPending) return null
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        Exporting: {plural(progress, 'event')} so far
      </Text>
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  )
}
