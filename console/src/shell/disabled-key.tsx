/**
 * Shown instead of the views of a disabled API key, or above a view that was open: the server refuses every call with it,
 * including the calls of the console.
 */
import { Paper, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { EmptyState, Secondary } from '../components/feedback/empty-state.tsx'
import { notifyFailure } from '../components/feedback/failure.tsx'
import { Note } from '../components/feedback/note.tsx'
import { Page } from '../components/page/page.tsx'
import { PermittedButton } from '../components/permitted/permitted-button.tsx'
import { ButtonLink } from '../links/links.tsx'
import { disableApiKey } from '../queries/keys/keys.ts'
import { nameOf } from './key-switcher.tsx'

function EnableButton({ apiKey: { id } }: { apiKey: ApiKeySummary }) {
  const enable = useMutation({ ...disableApiKey, onError: notifyFailure })
  return (
    <PermittedButton
      needs="api-keys.enable"
      apiKey={id}
      loading={enable.isPending}
      onClick={() => enable.mutate({ apiKey: id, disabled: false })}
    >
      Enable API key
    </PermittedButton>
  )
}

/** Above a view of a key that was disabled while the view was open. */
export function DisabledSince({ apiKey }: { apiKey: ApiKeySummary }) {
  const queryClient = useQueryClient()
  const { id } = apiKey
  // Once the key is enabled again, the view shows what has changed since, and what could not be read.
  useEffect(() => () => void queryClient.invalidateQueries({ queryKey: ['key', id] }), [queryClient, id])
  return (
    <Stack gap="xs" mb="md" align="start" role="status">
      <Note tone="caution" title="This API key was disabled while the page was open">
        The page shows what was there before. Nothing can be read or changed until the key is enabled again.
      </Note>
      <Secondary>
        <EnableButton apiKey={apiKey} />
      </Secondary>
    </Stack>
  )
}

export function DisabledKey({ apiKey }: { apiKey: ApiKeySummary }) {
  return (
    <Page title={nameOf(apiKey)}>
      <Paper withBorder>
        <EmptyState
          title="This API key is disabled"
          primary
          action={
            <>
              <EnableButton apiKey={apiKey} />
              <ButtonLink to="/keys" variant="default">
                All API keys
              </ButtonLink>
            </>
          }
        >
          The server refuses every call with it, including the calls of the console. No data is lost: everything is
          available again once the key is enabled.
        </EmptyState>
      </Paper>
    </Page>
  )
}
