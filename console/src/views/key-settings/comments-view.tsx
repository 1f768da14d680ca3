/** The effects of comments for an API key: the inbox, and the recording of activities. */
import { NumberInput, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { ActivityConfig, NotificationConfig } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { SettingsForm } from '../../components/forms/settings-form.tsx'
import { useSettings } from '../../components/forms/use-settings.ts'
import {
  activityConfigQuery,
  notificationConfigQuery,
  updateActivityConfig,
  updateNotificationConfig,
} from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'
import { CommentTriggers } from '../keys/comment-triggers.tsx'
import { BatchFields } from './batch-fields.tsx'

export function CommentSettingsView() {
  const key = useKey()
  const inbox = useQuery(notificationConfigQuery(key))
  const activities = useQuery(activityConfigQuery(key))
  const error = inbox.error ?? activities.error
  if (error !== null && (inbox.data === undefined || activities.data === undefined)) return <Failure error={error} />
  if (inbox.data === undefined || activities.data === undefined) return <Skeleton height={480} />
  return (
    <Stack gap="md">
      <NotificationForm stored={inbox.data} />
      <ActivityForm stored={activities.data.activityServiceConfig} />
    </Stack>
  )
}

function NotificationForm({ stored }: { stored: NotificationConfig }) {
  const { values, set, form } = useSettings(stored, updateNotificationConfig(useKey()), () =>
    notifications.show({ message: 'The notification settings were saved.' }),
  )
  const service = values.notificationServiceConfig
  const { triggers, delayConfig, batchConfig } = service
  const change = (fields: Partial<typeof service>) =>
    set({ ...values, notificationServiceConfig: { ...service, ...fields } })
  return (
    <SettingsForm
      needs="notification-config.update"
      title="Notifications"
      intro="Comments notify people if your app asks for it when it adds them, and only those who can open the document and see the thread."
      {...form}
    >
      <Switch
        label="Notify of comments"
        description="While this is off, comments notify nobody. Notifications that your app adds itself do not need it."
        checked={values.useNotificationService}
        onChange={({ currentTarget }) => set({ ...values, useNotificationService: currentTarget.checked })}
      />
      <CommentTriggers
        legend="Notify when"
        words={['newlyAdded', 'added', 'updated']}
        triggers={triggers.comment}
        unset
        onChange={(comment) => change({ triggers: { ...triggers, comment } })}
      />
      <Switch
        label="Hold back"
        description="A notification outside the inbox waits, and is dropped if the comment has been seen meanwhile."
        checked={delayConfig.isEnabled}
        onChange={({ currentTarget }) => change({ delayConfig: { ...delayConfig, isEnabled: currentTarget.checked } })}
      />
      {delayConfig.isEnabled && (
        <NumberInput
          label="For how many seconds"
          min={10}
          max={15_552_000}
          allowDecimal={false}
          maw={240}
          value={delayConfig.delaySeconds}
          onChange={(seconds) =>
            change({ delayConfig: { ...delayConfig, delaySeconds: typeof seconds === 'number' ? seconds : 10 } })
          }
        />
      )}
      <BatchFields
        label="Collect mails by document"
        help="A mail about a document waits for further comments on it, and has them all."
        batch={batchConfig.document}
        onChange={(document) => change({ batchConfig: { ...batchConfig, document } })}
      />
      <BatchFields
        label="Collect mails by person"
        help="A mail waits for further comments in the organization. A comment is sent by the window that closes first."
        batch={batchConfig.user}
        onChange={(user) => change({ batchConfig: { ...batchConfig, user } })}
      />
      <Text size="sm" c="dimmed">
        People whose level is once a day get one mail at eight in their time zone instead; levels are set by your app,
        or on the page of a user.
      </Text>
    </SettingsForm>
  )
}

function ActivityForm({ stored }: { stored: ActivityConfig['activityServiceConfig'] }) {
  const { values, set, form } = useSettings(stored, updateActivityConfig(useKey()), () =>
    notifications.show({ message: 'The activity settings were saved.' }),
  )
  return (
    <SettingsForm
      needs="activity-config.update"
      title="Activities"
      intro="A record of who did what on documents, which your app reads and adds to with activities."
      {...form}
    >
      <Switch
        label="Record activities"
        description="While this is off, new activities are refused. Those that were recorded can still be read."
        checked={values.isEnabled}
        onChange={({ currentTarget }) => set({ ...values, isEnabled: currentTarget.checked })}
      />
      <Switch
        label="Immutable"
        description="New activities can be neither changed nor deleted. This does not affect those that exist."
        checked={values.immutable ?? false}
        onChange={({ currentTarget }) => set({ ...values, immutable: currentTarget.checked })}
      />
    </SettingsForm>
  )
}
