/** The form of the question: user and resource. Submitting it changes the URL. */
import { Autocomplete, Button, NativeSelect, Paper, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { UserField } from '../../components/user-fields.tsx'
import { organizationsQuery } from '../../queries/organizations.ts'
import { pageQuery } from '../../queries/pages.ts'
import type { WhySearch } from '../../searches.ts'
import { useKey } from '../../session/use-session.ts'
import classes from './question-form.module.css'

const TYPES = [
  { value: 'document', label: 'Document' },
  { value: 'folder', label: 'Folder' },
  { value: 'organization', label: 'Organization' },
]

export function QuestionForm({ question }: { question: WhySearch }) {
  const key = useKey()
  const navigate = useNavigate()
  const { data } = useQuery(pageQuery(organizationsQuery(key)))
  const isNew = question.organizationId === ''
  const form = useForm<WhySearch>({
    initialValues: isNew ? { ...question, type: 'document' } : question,
    validate: {
      userId: (id) => (id.trim() === '' ? 'Enter a user id.' : null),
      organizationId: (id) => (id.trim() === '' ? 'Enter an organization id.' : null),
      id: (id, { type }) => (type !== 'organization' && id.trim() === '' ? 'Enter an id.' : null),
    },
  })
  const { type, organizationId } = form.values
  const submit = form.onSubmit((asked) => {
    const organizationId = asked.organizationId.trim()
    const id = asked.type === 'organization' ? organizationId : asked.id.trim()
    const search = { organizationId, type: asked.type, id, userId: asked.userId.trim() }
    void navigate({ to: '/keys/$apiKey/why', params: { apiKey: key.id }, search })
  })
  const text = { spellCheck: false, autoComplete: 'off' } as const
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit} noValidate className={classes.form}>
        <UserField
          label="User"
          organizationId={organizationId}
          {...form.getInputProps('userId')}
          value={form.values.userId}
        />
        <Autocomplete
          label="Organization"
          {...text}
          data={(data?.rows ?? []).map(({ id }) => id)}
          limit={20}
          {...form.getInputProps('organizationId')}
        />
        <NativeSelect label="Type" data={TYPES} {...form.getInputProps('type')} />
        <TextInput
          label="Id"
          {...text}
          disabled={type === 'organization'}
          {...form.getInputProps('id')}
          value={type === 'organization' ? organizationId : form.values.id}
        />
        <Button type="submit" className={classes.ask}>
          Explain
        </Button>
      </form>
    </Paper>
  )
}
