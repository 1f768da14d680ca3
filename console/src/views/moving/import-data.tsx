/** Imports a file: chosen, checked line by line, then imported with progress and a report. An interrupted import continues. */
import { FileInput, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Note } from '../../components/feedback/note.tsx'
import { type Run, useRun } from '../../components/feedback/use-run.ts'
import { ProductionNote } from '../../components/page/environment.tsx'
import { PermittedFields } from '../../components/permitted/permitted.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { plural } from '../../plural.ts'
import { queryKeyOf } from '../../queries/keys/keys.ts'
import { useRefusal } from '../../session/permission.ts'
import { useLoss } from '../../session/unfinished.ts'
import { useKey } from '../../session/use-session.ts'
import { ImportReport } from './import-report.tsx'
import { identityOf, type Kept, keptPosition } from './resumption.ts'
import { Cancelled, RunFailure, Running } from './running.tsx'
import { type Checksums, imported, type Progress } from './runs.ts'

/** The operations that an import may call, depending on the records. */
const WRITES = [
  ...(['key-config.get', 'key-config.update', 'domains.add', 'users.disable', 'profiles.set'] as const),
  ...(['organizations.add', 'organizations.disable', 'folders.add', 'folders.update', 'folder-access.set'] as const),
  ...(['documents.add', 'documents.update', 'documents.move', 'document-access.set', 'documents.disable'] as const),
  ...(['grants.add', 'user-groups.add', 'user-groups.update', 'user-group-users.add', 'invitations.add'] as const),
  ...(['webhook-endpoints.create', 'webhook-endpoints.update', 'comment-data.set'] as const),
] as const

interface Import {
  file: File
  identity: string | undefined
  checksums: Checksums
  before?: Kept | undefined
}

const IMPORT = {
  says: 'The import stops here: what was imported stays, and the rest of the file is not imported.',
  signedOut:
    'This browser also forgets where it stopped. To finish later, import the whole file again: existing records are updated to match it.',
}

export function ImportData() {
  const key = useKey()
  const refusal = useRefusal(WRITES)
  const queries = useQueryClient()
  const forgetChoice = useRef<() => void>(null)
  const [file, choose] = useState<File | null>(null)
  const check = useRun(async (chosen: File, run: Run<Progress>) => ({
    ...(await imported(key, chosen, { ...run, dryRun: true })),
    identity: await identityOf(chosen),
  }))
  const write = useRun(({ file, ...checked }: Import, run: Run<Progress>) =>
    imported(key, file, { ...run, ...checked, dryRun: false }).finally(
      () => void queries.invalidateQueries({ queryKey: queryKeyOf(key) }),
    ),
  )
  useLoss(write.isPending ? IMPORT : undefined)
  const isBusy = check.isPending || write.isPending
  const lines = check.data?.line ?? 0
  const identity = check.data?.identity
  const kept = identity === undefined || isBusy || write.data !== undefined ? undefined : keptPosition(key.id, identity)
  return (
    <Stack gap="sm">
      <PermittedFields needs={WRITES}>
        <FileInput
          label="File"
          description="An export of an API key, in lines of JSON. CSV and exports of a workspace are imported on the command line."
          placeholder="Choose a file"
          accept=".ndjson,.jsonl,.json,application/x-ndjson"
          maw={420}
          value={file}
          disabled={isBusy || refusal !== undefined}
          resetRef={forgetChoice}
          onChange={(chosen) => {
            // Otherwise the browser does not report that the same file is chosen again, such as after a change of it.
            forgetChoice.current?.()
            choose(chosen)
            check.reset()
            write.reset()
            if (chosen !== null) check.mutate(chosen)
          }}
        />
      </PermittedFields>
      {check.isPending && (
        <Running label="Checking" progress={check.progress} lines={undefined} onCancel={check.cancel} />
      )}
      {check.isCancelled && <Cancelled>Cancelled: nothing was changed.</Cancelled>}
      {check.error !== null && <RunFailure error={check.error} />}
      {write.isCancelled && (
        <Cancelled>
          {identity === undefined
            ? 'Interrupted. What was imported stays.'
            : 'Interrupted. What was imported stays, and the import can be continued.'}
        </Cancelled>
      )}
      {write.error !== null && <RunFailure error={write.error} />}
      {file !== null && check.data !== undefined && !write.isPending && write.data === undefined && (
        <>
          <ImportReport result={check.data} kinds={check.data.kinds} fileName={file.name} dryRun />
          <Text size="sm">
            Every line was checked on this device, and nothing is changed yet. The server may refuse more of them, such
            as grants on what does not exist.
          </Text>
          {kept !== undefined && (
            <Note
              tone="caution"
              title={`An import of this file was interrupted after line ${kept.line.toLocaleString('en')}`}
            >
              Imported until then: {plural(kept.records, 'record')}. Continue there, or import the whole file again:
              existing records are updated to match it.
            </Note>
          )}
          <ProductionNote apiKey={key.id} />
          <Group gap="sm">
            {kept !== undefined && (
              <PermittedButton
                needs={WRITES}
                onClick={() => write.mutate({ file, identity, checksums: check.data.checksums, before: kept })}
              >
                Continue after line {kept.line.toLocaleString('en')}
              </PermittedButton>
            )}
            <PermittedButton
              needs={WRITES}
              variant={kept === undefined ? 'filled' : 'default'}
              disabled={check.data.records === 0}
              onClick={() => write.mutate({ file, identity, checksums: check.data.checksums })}
            >
              Import {plural(check.data.records, 'record')}
            </PermittedButton>
          </Group>
        </>
      )}
      {write.isPending && (
        <>
          <Running label="Importing" progress={write.progress} lines={lines} onCancel={write.cancel} />
          <Text size="sm" c="dimmed">
            Keep this page open: the import runs in your browser. If it is closed, what was imported stays; choose the
            same file here again to continue.
          </Text>
        </>
      )}
      {file !== null && check.data !== undefined && write.data !== undefined && (
        <ImportReport result={write.data} kinds={check.data.kinds} fileName={file.name} dryRun={false} />
      )}
    </Stack>
  )
}
