/** The switch for the weekly mail of findings to the person who is signed in. */
import { Switch } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { Section } from '../../components/page/section.tsx'
import { SENDS_MAIL } from '../../page-data.ts'
import { operatorsQuery, updateOperator } from '../../queries/account/operators.ts'
import { useRefusal } from '../../session/permission.ts'

const NO_MAIL_SERVER = 'This server has no mail server (SMTP_URL), so nothing is sent until it has one.'

export function WeeklyMail({ operatorId }: { operatorId: string }) {
  const refusal = useRefusal('operators.update')
  const { data, error } = useQuery({ ...operatorsQuery, enabled: refusal === undefined })
  const update = useMutation({ ...updateOperator, onError: notifyFailure })
  const isOn = data?.find(({ id }) => id === operatorId)?.weeklyFindings
  return (
    <Section
      title="Weekly mail"
      intro="The findings of the workspace and its API keys, on Mondays, if there are any. Each mail has a link to unsubscribe."
    >
      {isOn === undefined && error !== null && <Failure error={error} />}
      {refusal === undefined && isOn === undefined && error === null && <Loading />}
      {(refusal !== undefined || isOn !== undefined) && (
        <Switch
          label="Send me what is worth a look once a week"
          description={refusal ?? (SENDS_MAIL ? undefined : NO_MAIL_SERVER)}
          disabled={refusal !== undefined || update.isPending}
          checked={(update.isPending ? update.variables.weeklyFindings : isOn) ?? false}
          onChange={({ currentTarget }) => update.mutate({ operatorId, weeklyFindings: currentTarget.checked })}
        />
      )}
    </Section>
  )
}
